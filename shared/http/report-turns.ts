import type { Clock } from '../base/clock.ts';
import { FairQueue, type Limits } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/**
 * A report of ten thousand lines takes some 30 MB while it is read. As many of a tenant's may wait as an API key may have in
 * flight: short ones, which nearly all are, are done within moments.
 */
const REPORTS: Limits = {
  running: 32,
  runningPerOwner: 8,
  waitingPerOwner: 256,
  waitMs: 2 * DEADLINES_MS.firestore,
};

/** What it takes to read a report. */
export interface ReportNeeds {
  readonly store: Store;
  readonly clock: Clock;
  readonly reports: ReportTurns;
}

/** Has readers of lists, usage and statements, which may be of thousands of documents, take turns. */
export class ReportTurns {
  readonly #turns = new FairQueue(REPORTS);

  /** Reads a report when it is its tenant's turn. Throws `unavailable` when too many of the tenant's wait, or it waited too long. */
  take<Report>(tenantId: TenantId, read: () => Promise<Report>): Promise<Report> {
    return this.#turns.run(tenantId, read, () => new ApiError('unavailable', 'too many lists and reports in flight'));
  }
}
