import { setTimeout as pause } from 'node:timers/promises';
import type { Timestamp } from '@google-cloud/firestore';
import { DeadlineExceeded, withDeadline } from '../base/deadline.ts';
import { prefetch } from '../base/prefetch.ts';
import { GRPC, hasStatus } from '../grpc/status.ts';
import type { Collection } from './collection.ts';
import { Commit } from './commit.ts';
import { isUnanswered } from './failures.ts';
import { endOfOperation, type FirestoreApi, type InTransaction, type Read } from './firestore-api.ts';
import type { Marks } from './marks.ts';
import { Writes } from './writes.ts';

/** The longest random pause before the second attempt, in milliseconds. Each further one is `GROWTH` times as long. */
const PAUSE_MS = 100;
const GROWTH = 1.5;

/** Reads and writes in a transaction. What was read stays valid until the commit. Reads must come before writes. */
export class Transaction extends Writes {
  readonly #api: FirestoreApi;
  readonly #commit: Commit;
  readonly #endsAt: number;
  readonly #retry: Uint8Array | undefined;
  /** The transaction's id, once the first read has begun the transaction. */
  #id: Promise<Uint8Array> | undefined;

  constructor(api: FirestoreApi, endsAt: number, marks?: Marks, retry?: Uint8Array) {
    const commit = new Commit(api);
    super(commit, marks);
    this.#api = api;
    this.#commit = commit;
    this.#endsAt = endsAt;
    this.#retry = retry;
  }

  async find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    return from.decode((await this.read(`${from.name}/${id}`)).data);
  }

  async read(path: string): Promise<Read> {
    if (this.#id !== undefined) return (await this.#readIn({ id: await this.#id }, path)).read;
    const first = this.#readIn({ retry: this.#retry }, path);
    this.#id = prefetch(first.then(({ id }) => id));
    return (await first).read;
  }

  #readIn(transaction: InTransaction, path: string) {
    return this.#api.readIn(transaction, path, this.#endsAt);
  }

  /** Applies the writes, if nothing that was read has changed. Returns the commit time, if there are writes. */
  async apply(): Promise<Timestamp | undefined> {
    return this.#commit.apply(this.#endsAt, await this.#id);
  }

  /** Frees the locks. Returns the transaction's id for the next attempt. */
  async rollBack(): Promise<Uint8Array | undefined> {
    const id = await this.#id?.catch(() => undefined);
    // If this fails, Firestore frees the locks after a while.
    if (id !== undefined) prefetch(this.#api.rollBack(id));
    return id;
  }
}

/**
 * Runs a transaction, and returns the result of `work`. Runs `work` again after a conflict and after a lost answer. If
 * an attempt was applied and its answer was lost, returns that attempt's result. Throws {@link DeadlineExceeded} after
 * the deadline of an operation.
 */
export async function runTransaction<T>(
  api: FirestoreApi,
  marks: Marks | undefined,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const endsAt = endOfOperation();
  const earlier: { readonly value: T; readonly writes: Transaction }[] = [];
  let retry: Uint8Array | undefined;
  for (let longestMs = PAUSE_MS; ; longestMs *= GROWTH) {
    const tx = new Transaction(api, endsAt, marks, retry);
    try {
      return await within(endsAt, () => attempt(tx, earlier, work));
    } catch (error) {
      retry = await tx.rollBack();
      if (!isWorthAnotherAttempt(error)) throw error;
    }
    await within(endsAt, () => pause(Math.random() * longestMs));
  }
}

async function attempt<T>(
  tx: Transaction,
  earlier: { readonly value: T; readonly writes: Transaction }[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (const { value, writes } of earlier) {
    const applied = writes.commitMarker && (await tx.read(writes.commitMarker)).updateTime;
    if (!applied) continue;
    await tx.rollBack();
    writes.noteApplied(applied);
    return value;
  }
  const value = await work(tx);
  earlier.push({ value, writes: tx });
  const commitTime = await tx.apply();
  if (commitTime !== undefined) tx.noteApplied(commitTime);
  return value;
}

function within<T>(endsAt: number, work: () => Promise<T>): Promise<T> {
  return withDeadline('firestore transaction', Math.max(0, endsAt - performance.now()), work());
}

/** Whether the transaction was not applied, or nobody knows, and another attempt may succeed. */
function isWorthAnotherAttempt(error: unknown): boolean {
  if (error instanceof DeadlineExceeded) return false;
  const isClosed = hasStatus(error, GRPC.INVALID_ARGUMENT) && /transaction/i.test(error.message);
  return (
    isClosed || isUnanswered(error) || [GRPC.ABORTED, GRPC.RESOURCE_EXHAUSTED].some((code) => hasStatus(error, code))
  );
}
