import type { Route } from '../../shared/http/route.ts';
import { readAuditRoute } from './read-audit.ts';
import { readKeyAuditRoute } from './read-key-audit.ts';
import { readUsageRoute } from './read-usage.ts';

/** Audit log and usage. The audit log of a whole tenant is the console's. */
export function reportsRoutes(config: { readonly identity: unknown }): readonly Route[] {
  return [readKeyAuditRoute, readUsageRoute, ...(config.identity === undefined ? [] : [readAuditRoute])];
}
