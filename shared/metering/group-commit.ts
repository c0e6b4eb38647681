import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditEvent } from '../audit/event.ts';
import { Batcher, type BatchLimits } from '../base/batcher.ts';
import { withDeadline } from '../base/deadline.ts';
import { DEADLINES_MS } from '../config.ts';
import { rowNotWritten } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import { isUnanswered, type Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { Shards, shardId, USAGE } from './counter.ts';
import type { Month } from './month.ts';

/** A commit holds a row and at most one increment for each operation. So many of one tenant carry many operations each under load. */
const BATCH_LIMITS: BatchLimits = {
  inFlight: 64,
  inFlightPerOwner: 2,
  asksPerCall: 200,
  waitMs: DEADLINES_MS.firestore,
};

/** An operation whose cryptography succeeded. */
export interface Performed {
  readonly key: Key;
  /** The month in which the operation was checked, which is the month that it counts in. */
  readonly month: Month;
  readonly event: AuditEvent;
}

interface Row extends Performed {
  readonly id: string;
}

/**
 * Counts operations and writes their audit rows: all of a tenant that wait go in one commit, each count of a key as one
 * increment. A response waits for its own commit, so what was acknowledged is stored. Tenants never share a commit: a
 * counter that is written too often, or locked, holds nobody else's operations.
 */
export class GroupCommit {
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #metrics: Metrics;
  readonly #commits: Batcher<Performed, true>;
  readonly #shards = new Shards();

  constructor(store: Store, audit: AuditLog, metrics: Metrics) {
    this.#store = store;
    this.#audit = audit;
    this.#metrics = metrics;
    this.#commits = new Batcher((performed) => this.#commit(performed), BATCH_LIMITS);
  }

  /** How many operations wait for a place in a commit. */
  get waiting(): number {
    return this.#commits.waiting;
  }

  /** Resolves once the operation is counted and its row is written. Throws `internal_error` when the row is not. */
  async record(performed: Performed): Promise<void> {
    try {
      await withDeadline('commit', DEADLINES_MS.firestore, this.#commits.ask(performed, performed.key.tenant_id));
    } catch (error) {
      throw rowNotWritten(error);
    }
  }

  async #commit(performed: readonly Performed[]): Promise<true[]> {
    const rows = performed.map((one) => ({ ...one, id: this.#audit.makeRowId() }));
    const [first] = rows;
    if (first !== undefined) await this.#shards.lend(first.key.tenant_id, (shard) => this.#record(rows, shard));
    return rows.map(() => true);
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
      for (const { event, id } of rows) this.#audit.append(writes, event, id);
    });
  }

  /** Counts operations whose rows were refused, and throws why they were. Nothing is counted on a mere suspicion. */
  async #countAlone(rows: readonly Row[], shard: number, refusal: unknown): Promise<never> {
    await this.#store.write((writes) => addCounts(writes, rows, shard));
    throw refusal;
  }
}

function addCounts(writes: Writes, rows: readonly Row[], shard: number): void {
  const counts = Map.groupBy(rows, ({ key, month }) => shardId(key.id, month, shard));
  for (const [id, [first, ...more]] of counts) {
    if (first === undefined) continue;
    const { key, month } = first;
    writes.increment(USAGE, id, 'ops', 1 + more.length, {
      tenant_id: key.tenant_id,
      container_id: key.container_id,
      key_id: key.id,
      month,
    });
  }
}
