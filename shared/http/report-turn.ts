import type { TenantId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';

/** Reads a report when it is its tenant's turn: one may be of thousands of documents. Throws `unavailable` when too many of the tenant's wait, or it waited too long. */
export function takeReportTurn<Report>(env: Env, tenantId: TenantId, read: () => Promise<Report>): Promise<Report> {
  return env.reports.run(tenantId, read, () => new ApiError('unavailable', 'too many lists and reports in flight'));
}
