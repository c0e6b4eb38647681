import { type AuditEvent, appendEvent, makeRowId } from '../audit/event.ts';
import { Batcher, type BatchLimits } from '../base/batcher.ts';
import { type Clock, SECOND_US } from '../base/clock.ts';
import { hedge } from '../base/hedge.ts';
import type { Month } from '../base/month.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { rowNotWritten } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import { isUnanswered } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type DayCounts, SHARDS, shardId, USAGE } from './counter.ts';

/** The limits of a commit. It has one row and at most one increment for each operation. */
export const COMMITS: BatchLimits = {
  what: 'counts and audit events of operations',
  owner: 'tenant',
  past: '`500 internal_error`',
  inFlight: 4,
  asksPerCall: 200,
  waitMs: DEADLINES_MS.firestore,
};

/**
 * Rows older than this many microseconds are not written again, because their period may be sealed after two minutes.
 * The wall clock measures the age, because a monotonic clock may stop in a frozen process.
 */
const REPEATABLE_US = 30 * SECOND_US;

export interface Counted {
  readonly key: Key;
  /** The month in which the operation was checked. The operation counts in this month. */
  readonly month: Month;
  /** The day of the month, `01` to `31`. */
  readonly day: string;
  /** Whether the operation needed a version other than the primary. */
  readonly usedOlder: boolean;
}

export interface Ended {
  readonly event: AuditEvent;
  readonly counted?: Counted;
}

interface Row extends Ended {
  readonly id: string;
}

/**
 * Counts operations and writes their audit rows, many in one commit. A response waits for its commit, so acknowledged
 * operations are stored. Tenants never share a commit, so a slow tenant delays no other.
 */
export class GroupCommit {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #commits: Batcher<readonly Ended[], true>;
  #shard = Math.floor(Math.random() * SHARDS);

  constructor(store: Store, clock: Clock, metrics: Metrics) {
    this.#store = store;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#commits = new Batcher(
      COMMITS,
      (asks, lateMs) => this.#commit(asks, lateMs),
      (ended) => ended.length,
    );
  }

  get waiting(): number {
    return this.#commits.waiting;
  }

  /** Resolves once one commit has stored all these operations, which must be of one tenant. Throws `internal_error`. */
  async record(...ended: readonly Ended[]): Promise<void> {
    const [first] = ended;
    if (first === undefined) return;
    try {
      await this.#commits.ask(ended, first.event.tenant_id);
    } catch (error) {
      throw rowNotWritten(error);
    }
  }

  async #commit(asks: readonly (readonly Ended[])[], lateMs: number): Promise<true[]> {
    const rows = asks.flat().map((one) => ({ ...one, id: makeRowId() }));
    const isTooOld = () => rows.some(({ event }) => this.#clock.now() - event.ts > REPEATABLE_US);
    try {
      // If one attempt is refused and the other is unanswered, throw the error of the latter, which may be applied.
      await hedge(() => this.#write(rows), lateMs, { mayRepeat: () => !isTooOld(), isGravest: isUnanswered });
    } catch (error) {
      this.#metrics.commitFailed();
      if (isUnanswered(error) && isTooOld()) throw error;
      await this.#write(rows, isUnanswered(error));
      if (!isUnanswered(error)) throw error;
    }
    return asks.map(() => true);
  }

  /**
   * Writes counts and rows in one commit, with the same ids at each attempt, so that an applied one makes the next fail.
   * If Firestore has refused the rows, only writes the counts.
   */
  #write(rows: readonly Row[], withRows = true): Promise<void> {
    // Concurrent commits of a process write different documents.
    const shard = this.#shard++ % SHARDS;
    return this.#store.write((writes) => {
      addCounts(writes, rows, shard);
      if (withRows) for (const { event, id } of rows) appendEvent(writes, event, id);
    });
  }
}

function addCounts(writes: Writes, rows: readonly Row[], shard: number): void {
  const counted = rows.flatMap((row) => row.counted ?? []);
  for (const [id, same] of Map.groupBy(counted, ({ key, month }) => shardId(key, month, shard))) {
    const [first] = same;
    if (first === undefined) continue;
    const { key, month } = first;
    const older = same.filter(({ usedOlder }) => usedOlder);
    writes.increment(
      USAGE,
      id,
      { ops: same.length, days: countDays(same), older_days: countDays(older) },
      { tenant_id: key.tenant_id, container_id: key.container_id, key_id: key.id, month },
    );
  }
}

function countDays(performed: readonly Counted[]): DayCounts {
  const days = Map.groupBy(performed, ({ day }) => day);
  return Object.fromEntries([...days].map(([day, same]) => [day, same.length]));
}
