import { type AuditEvent, appendEvent, makeRowId } from '../audit/event.ts';
import { Batcher, type BatchLimits } from '../base/batcher.ts';
import type { Month } from '../base/month.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { rowNotWritten } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import { isUnanswered, type Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type DayCounts, Shards, shardId, USAGE } from './counter.ts';

/** A commit holds a row and at most one increment for each operation. So many of one tenant carry many operations each under load. */
const BATCH_LIMITS: BatchLimits = {
  inFlight: 64,
  inFlightPerOwner: 2,
  asksPerCall: 200,
  waitMs: DEADLINES_MS.firestore,
};

/** An operation as its key's count has it. */
export interface Counted {
  readonly key: Key;
  /** The month in which the operation was checked, which is the month that it counts in. */
  readonly month: Month;
  /** The day of that month, `01` to `31`. */
  readonly day: string;
}

/** An operation that has ended: its row, and its count where its cryptography succeeded. */
export interface Ended {
  readonly event: AuditEvent;
  readonly counted?: Counted;
}

interface Row extends Ended {
  readonly id: string;
}

/**
 * Counts operations and writes their audit rows: all of a tenant that wait go in one commit, each count of a key as one
 * increment. A response waits for its own commit, so what was acknowledged is stored. Tenants never share a commit: a
 * counter that is written too often, or locked, holds nobody else's operations.
 */
export class GroupCommit {
  readonly #store: Store;
  readonly #metrics: Metrics;
  readonly #commits: Batcher<readonly Ended[], true>;
  readonly #shards = new Shards();

  constructor(store: Store, metrics: Metrics) {
    this.#store = store;
    this.#metrics = metrics;
    this.#commits = new Batcher((asks) => this.#commit(asks), BATCH_LIMITS, { weigh: (ended) => ended.length });
  }

  /** How many operations wait for a place in a commit. */
  get waiting(): number {
    return this.#commits.waiting;
  }

  /**
   * Resolves once the operations, which are one tenant's, are counted and their rows are written, all in one commit. Throws
   * `internal_error` when the rows are not.
   */
  async record(...ended: readonly Ended[]): Promise<void> {
    const [first] = ended;
    if (first === undefined) return;
    try {
      await this.#commits.ask(ended, first.event.tenant_id);
    } catch (error) {
      throw rowNotWritten(error);
    }
  }

  async #commit(asks: readonly (readonly Ended[])[]): Promise<true[]> {
    const rows = asks.flat().map((one) => ({ ...one, id: makeRowId() }));
    const [first] = rows;
    if (first !== undefined) await this.#shards.lend(first.event.tenant_id, (shard) => this.#record(rows, shard));
    return asks.map(() => true);
  }

  async #record(rows: readonly Row[], shard: number): Promise<void> {
    try {
      await this.#write(rows, shard);
    } catch (error) {
      this.#metrics.commitFailed();
      if (isUnanswered(error)) await this.#write(rows, shard);
      else await this.#countAlone(rows, shard, error);
    }
  }

  /** Made again with the same rows, it is applied once: rows that are there prove the first time. */
  #write(rows: readonly Row[], shard: number): Promise<void> {
    return this.#store.write((writes) => {
      addCounts(writes, rows, shard);
      for (const { event, id } of rows) appendEvent(writes, event, id);
    });
  }

  /** Counts operations whose rows were refused, and throws why they were. Nothing is counted on a mere suspicion. */
  async #countAlone(rows: readonly Row[], shard: number, refusal: unknown): Promise<never> {
    await this.#store.write((writes) => addCounts(writes, rows, shard));
    throw refusal;
  }
}

function addCounts(writes: Writes, rows: readonly Row[], shard: number): void {
  const counted = rows.flatMap((row) => row.counted ?? []);
  const counts = Map.groupBy(counted, ({ key, month }) => shardId(key, month, shard));
  for (const [id, performed] of counts) {
    const [first] = performed;
    if (first === undefined) continue;
    const { key, month } = first;
    const days = countDays(performed);
    writes.increment(
      USAGE,
      id,
      { ops: performed.length, days },
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
