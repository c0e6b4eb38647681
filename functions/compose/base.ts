import { LastUse } from '../../shared/auth/last-use.ts';
import type { IdentifyNeeds } from '../../shared/auth/needs.ts';
import { RateLimit } from '../../shared/auth/rate-limit.ts';
import { Secrets } from '../../shared/auth/secrets.ts';
import { NO_SESSIONS, Sessions } from '../../shared/auth/session.ts';
import type { ReportNeeds } from '../../shared/http/report-turns.ts';
import { ReportTurns } from '../../shared/http/report-turns.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Process } from './process.ts';

/** What every function has whose routes take a credential. */
export type Base = Process & IdentifyNeeds & ReportNeeds;

/** Opens the store, and all that proves credentials. */
export function openBase(own: Process, rateLimit: IdentifyNeeds['rateLimit'] = new RateLimit()): Base {
  const { config, clock, log, metrics } = own;
  const store = openStore(config);
  const secrets = new Secrets();
  metrics.watch({ reads: () => store.waitingReads, secretChecks: () => secrets.checksInFlight });
  return {
    ...own,
    store,
    secrets,
    rateLimit,
    accessTokens: config.identity === undefined ? NO_SESSIONS : new Sessions(config.identity, clock),
    lastUse: new LastUse(store, clock, log),
    reports: new ReportTurns(),
  };
}
