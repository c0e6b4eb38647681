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
import { type DayCounts, Shards, shardId, USAGE } from './counter.ts';

/** The limits of a commit. It has one row and at most one increment for each operation. */
const BATCH_LIMITS: BatchLimits = {
  inFlight: 2,
  leftBehind: 2,
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
  readonly #shards = new Shards();

  constructor(store: Store, clock: Clock, metrics: Metrics) {
    this.#store = store;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#commits = new Batcher(
      (asks, late) => this.#commit(asks, late),
      BATCH_LIMITS,
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

  async #commit(asks: readonly (readonly Ended[])[], late: Promise<void>): Promise<true[]> {
    const rows = asks.flat().map((one) => ({ ...one, id: makeRowId() }));
    await this.#record(rows, late);
    return asks.map(() => true);
  }

  async #record(rows: readonly Row[], late: Promise<void>): Promise<void> {
    try {
      // If one attempt is refused and the other is unanswered, throw the error of the latter, which may be applied.
      await hedge(() => this.#write(rows), late, { mayRepeat: () => !this.#isTooOld(rows), isGravest: isUnanswered });
    } catch (error) {
      this.#metrics.commitFailed();
      if (!isUnanswered(error)) return this.#countWithoutRows(rows, error);
      if (this.#isTooOld(rows)) throw error;
      await this.#write(rows);
    }
  }

  #isTooOld(rows: readonly Row[]): boolean {
    const now = this.#clock.now();
    return rows.some(({ event }) => now - event.ts > REPEATABLE_US);
  }

  /** Writes counts and rows in one commit. Nothing is counted twice: an applied attempt has created its rows. */
  #write(rows: readonly Row[]): Promise<void> {
    return this.#writeCounted(rows, (writes) => {
      for (const { event, id } of rows) appendEvent(writes, event, id);
    });
  }

  /** Counts the operations without their audit rows, which Firestore has refused. Then throws the refusal. */
  async #countWithoutRows(rows: readonly Row[], refusal: unknown): Promise<never> {
    await this.#writeCounted(rows, () => undefined);
    throw refusal;
  }

  async #writeCounted(rows: readonly Row[], fill: (writes: Writes) => void): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    await this.#shards.lend(first.event.tenant_id, (shard) =>
      this.#store.write((writes) => {
        addCounts(writes, rows, shard);
        fill(writes);
      }),
    );
  }
}

function addCounts(writes: Writes, rows: readonly Row[], shard: number): void {
  const counted = rows.flatMap((row) => row.counted ?? []);
  const counts = Map.groupBy(counted, ({ key, month }) => shardId(key, month, shard));
  for (const [id, performed] of counts) {
    const [first] = performed;
    if (first === undefined) continue;
    const { key, month } = first;
    const older = performed.filter(({ usedOlder }) => usedOlder);
    writes.increment(
      USAGE,
      id,
      { ops: performed.length, days: countDays(performed), older_days: countDays(older) },
      {
        tenant_id: key.tenant_id,
        container_id: key.container_id,
        key_id: key.id,
        month,
      },
    );
  }
}

function countDays(performed: readonly Counted[]): DayCounts {
  const days = Map.groupBy(performed, ({ day }) => day);
  return Object.fromEntries([...days].map(([day, same]) => [day, same.length]));
}
