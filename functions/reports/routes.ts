import type { IdentifyNeeds } from '../../shared/auth/needs.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import type { Route } from '../../shared/http/route.ts';
import { readAuditRoute } from './read-audit.ts';
import { readAuditEntriesRoute } from './read-audit-entries.ts';
import { readAuditKeyRoute } from './read-audit-key.ts';
import { readAuditSealsRoute } from './read-audit-seals.ts';
import { readDailyUsageRoute } from './read-daily-usage.ts';
import { readKeyAuditRoute } from './read-key-audit.ts';
import { readUsageRoute } from './read-usage.ts';
import type { SealedLogNeeds } from './sealed-log.ts';

/** Audit log and usage. */
export const reportsRoutes: readonly Route<IdentifyNeeds & ReportNeeds>[] = [
  readKeyAuditRoute,
  readUsageRoute,
  readDailyUsageRoute,
  readAuditRoute,
];

/** What shows the sealed audit log, where logs are sealed. */
export const sealedLogRoutes: readonly Route<IdentifyNeeds & ReportNeeds & SealedLogNeeds>[] = [
  readAuditKeyRoute,
  readAuditSealsRoute,
  readAuditEntriesRoute,
];
