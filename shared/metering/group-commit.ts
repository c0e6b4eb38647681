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
import { SHARDS, shardId, USAGE } from './counter.ts';

/** The limits of a commit. It has one row and at most one increment for each operation. */
export const COMMITS: BatchLimits = {
  what: 'counts and audit events of operations, and audit events of refused requests',
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

interface Counted {
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

/** What to add to a document of counts, and an operation that it counts. */
interface Increment {
  readonly by: { ops: number; readonly days: Record<string, number>; readonly older_days: Record<string, number> };
  readonly of: Counted;
}

/**
 * Counts operations and writes their audit rows, many in one commit. A response waits for its commit, so acknowledged
 * operations are stored. Tenants never share a commit, so a slow tenant delays no other.
 */
export class GroupCommit {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  readonly #commits: Batcher<Row, true>;
  #shard = Math.floor(Math.random() * SHARDS);

  constructor(store: Store, clock: Clock, metrics: Metrics) {
    this.#store = store;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#commits = new Batcher(COMMITS, (rows, lateMs) => this.#commit(rows, lateMs));
  }

  get waiting(): number {
    return this.#commits.waiting;
  }

  /** Resolves once a commit has stored the operation. Throws `internal_error`. */
  async record(ended: Ended): Promise<void> {
    try {
      await this.#commits.ask({ ...ended, id: makeRowId() }, ended.event.tenant_id);
    } catch (error) {
      throw rowNotWritten(error);
    }
  }

  async #commit(rows: readonly Row[], lateMs: number): Promise<true[]> {
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
    return rows.map(() => true);
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

/** Adds one increment for each document of counts. */
function addCounts(writes: Writes, rows: readonly Row[], shard: number): void {
  const byId = new Map<string, Increment>();
  for (const { counted } of rows) {
    if (counted === undefined) continue;
    const { key, month, day, usedOlder } = counted;
    const id = shardId(key, month, shard);
    const { by, of } = byId.get(id) ?? { by: { ops: 0, days: {}, older_days: {} }, of: counted };
    byId.set(id, { by, of });
    by.ops++;
    by.days[day] = (by.days[day] ?? 0) + 1;
    if (usedOlder) by.older_days[day] = (by.older_days[day] ?? 0) + 1;
  }
  for (const [id, { by, of }] of byId) {
    const { key, month } = of;
    writes.increment(USAGE, id, by, {
      tenant_id: key.tenant_id,
      container_id: key.container_id,
      key_id: key.id,
      month,
    });
  }
}
