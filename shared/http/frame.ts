import type { IdTokens } from '../auth/id-tokens.ts';
import type { LastUse } from '../auth/last-use.ts';
import type { Policy } from '../auth/policy.ts';
import type { RateLimit } from '../auth/rate-limit.ts';
import type { Secrets } from '../auth/secrets.ts';
import type { AccessTokens } from '../auth/session.ts';
import type { Clock, startStopwatch } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import type { GroupCommit } from '../metering/group-commit.ts';
import type { EarlyReads } from '../store/early-reads.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { ReportTurns } from './report-turns.ts';

/** What the checks and the log of every request with a credential use. */
export interface Frame {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly startStopwatch: typeof startStopwatch;
  readonly store: Store;
  readonly earlyReads: EarlyReads;
  /** Counts operations and writes audit rows, many in one commit. */
  readonly commits: GroupCommit;
  readonly secrets: Pick<Secrets, 'present' | 'verify' | 'hash'>;
  readonly accessTokens: AccessTokens;
  readonly idTokens: Pick<IdTokens, 'verify' | 'remember'>;
  readonly rateLimit: Pick<RateLimit, 'take'>;
  /** Records when an API key was last used. */
  readonly lastUse: LastUse;
  readonly policy: Pick<Policy, 'allows' | 'ping'>;
  /** Limits each tenant to one list or report at a time. */
  readonly reports: ReportTurns;
}
