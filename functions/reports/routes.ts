import type { Group } from '../../shared/http/group.ts';
import { getCallerRoute } from './get-caller.ts';
import { readAuditRoute } from './read-audit.ts';
import { readAuditEntriesRoute } from './read-audit-entries.ts';
import { readAuditKeyRoute } from './read-audit-key.ts';
import { readAuditRestorationsRoute } from './read-audit-restorations.ts';
import { readAuditSealsRoute } from './read-audit-seals.ts';
import { readKeyAuditRoute } from './read-key-audit.ts';
import { readUsageRoute } from './read-usage.ts';
import { readUsageDailyRoute } from './read-usage-daily.ts';

/** The routes for the audit log, usage, and the caller's identity. */
export const reports = {
  name: 'reports',
  routes: [
    readKeyAuditRoute,
    readUsageRoute,
    readUsageDailyRoute,
    readAuditRoute,
    readAuditKeyRoute,
    readAuditSealsRoute,
    readAuditEntriesRoute,
    readAuditRestorationsRoute,
    getCallerRoute,
  ],
} satisfies Group<never>;
