import type { Firestore, Transaction as FirestoreTransaction, QueryDocumentSnapshot } from '@google-cloud/firestore';
import { Batcher, type BatchLimits } from '../base/batcher.ts';
import { DeadlineExceeded, withDeadline } from '../base/deadline.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { GRPC, hasStatus } from '../grpc/status.ts';
import type { Collection } from './collection.ts';
import { Commit } from './commit.ts';
import type { Connection } from './connect.ts';
import type { FirestoreApi, Read } from './firestore-api.ts';
import type { Marks } from './marks.ts';
import { buildQuery, type Query, type Values } from './query.ts';
import { Transaction } from './transaction.ts';
import { type UpdateTime, Writes } from './writes.ts';

/**
 * One call in flight at a time: two would make smaller batches. Firestore handles so many documents per call well. A slot is
 * held for long, as what is read together comes to the decision, the KMS and the commit together.
 */
const READ_LIMITS: BatchLimits = { inFlight: 1, asksPerCall: 300, waitMs: DEADLINES_MS.firestore, holdMs: 24 };

const CLOSED_ATTEMPTS = 3;

const UNANSWERED = [
  GRPC.CANCELLED,
  GRPC.UNKNOWN,
  GRPC.DEADLINE_EXCEEDED,
  GRPC.INTERNAL,
  GRPC.UNAVAILABLE,
  GRPC.DATA_LOSS,
];

/** At most a few MiB, well within a deadline. */
const PAGE = 1_000;

const READ_AT_ONCE = 300;

const CONFLICT_RETRIES = 10;

export interface Reader {
  find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined>;
}

/** A document with its id. */
export interface WithId<Doc> {
  readonly id: string;
  readonly doc: Doc;
}

export class Store {
  readonly #db: Firestore;
  readonly #api: FirestoreApi;
  /** Of paths of documents. */
  readonly #reads: Batcher<string, Read>;
  readonly #marks: Marks | undefined;

  /** Without `marks` none is left: nobody looks for them. */
  constructor({ db, api }: Connection, marks?: Marks) {
    this.#db = db;
    this.#api = api;
    this.#marks = marks;
    this.#reads = new Batcher((paths) => this.#read(paths), READ_LIMITS, { nameOf: (path) => path });
  }

  get waitingReads(): number {
    return this.#reads.waiting;
  }

  /** Reads one document. Concurrent reads share a round trip, which starts after this call. */
  find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    return this.#reads.ask(`${from.name}/${id}`).then(({ data }) => from.decode(data));
  }

  /** Reads documents by id, in order. Not batched with {@link find}, so that bulk reads do not delay single ones. */
  async findAll<Doc>(from: Collection<Doc>, ids: readonly string[]): Promise<(Doc | undefined)[]> {
    const found: (Doc | undefined)[] = [];
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const paths = ids.slice(start, start + READ_AT_ONCE).map((id) => `${from.name}/${id}`);
      for (const { data } of await this.#read(paths)) found.push(from.decode(data));
    }
    return found;
  }

  /** Reads one document with its update time, the precondition of a later write. */
  async findWithUpdateTime<Doc>(
    from: Collection<Doc>,
    id: string,
  ): Promise<{ doc: Doc; updateTime: UpdateTime } | undefined> {
    const [read] = await this.#read([`${from.name}/${id}`]);
    const doc = from.decode(read?.data);
    return doc === undefined || read?.updateTime === undefined ? undefined : { doc, updateTime: read.updateTime };
  }

  /** Retries `work` on conflict. On a retry (`again`) its own commit may already be applied, its answer lost. */
  async retryOnConflict<T>(work: (again: boolean) => Promise<T>): Promise<T> {
    for (let left = CONFLICT_RETRIES; ; left--) {
      try {
        return await work(left < CONFLICT_RETRIES);
      } catch (error) {
        if (left === 0 || !(isChanged(error) || isNotFound(error))) throw error;
      }
    }
  }

  async select<Doc>(query: Query<Doc>, values: Values & { readonly limit: number }): Promise<Doc[]> {
    return decodeAll(query, await this.#run(query, values));
  }

  /** The documents that a query selects, at most `limit` of them, with their ids. */
  async selectWithIds<Doc>(query: Query<Doc>, values: Values & { readonly limit: number }): Promise<WithId<Doc>[]> {
    return decodeWithIds(query, await this.#run(query, values));
  }

  /** Yields results in pages. Documents changed meanwhile may be missing; all others appear exactly once. */
  async *pages<Doc>(query: Query<Doc>, values: Values, limit = PAGE): AsyncGenerator<Doc[]> {
    for await (const page of this.pagesWithIds(query, values, limit)) yield page.map(({ doc }) => doc);
  }

  /** {@link pages}, of documents with their ids. */
  async *pagesWithIds<Doc>(query: Query<Doc>, values: Values, limit = PAGE): AsyncGenerator<WithId<Doc>[]> {
    let last: QueryDocumentSnapshot | undefined;
    do {
      const page: readonly QueryDocumentSnapshot[] = await this.#run(query, { ...values, limit }, last);
      yield decodeWithIds(query, page);
      last = page.length < limit ? undefined : page.at(-1);
    } while (last !== undefined);
  }

  /** Only for queries whose number of results is bounded. */
  async selectAll<Doc>(query: Query<Doc>, values: Values): Promise<Doc[]> {
    return (await Array.fromAsync(this.pages(query, values))).flat();
  }

  async #run<Doc>(
    query: Query<Doc>,
    values: Values,
    after?: QueryDocumentSnapshot,
  ): Promise<readonly QueryDocumentSnapshot[]> {
    const first = buildQuery(this.#db.collection(query.from.name), query, values);
    const selected = (after === undefined ? first : first.startAfter(after)).get();
    return (await withDeadline('firestore query', DEADLINES_MS.firestore, selected)).docs;
  }

  /** Runs a transaction. `work` may run several times, so it must have no other effect. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + DEADLINES_MS.firestore;
    const before: { value: T; commitMarker: string | undefined }[] = [];
    let latest: Transaction | undefined;
    const once = async (tx: FirestoreTransaction): Promise<T> => {
      if (performance.now() > giveUpAt) throw new DeadlineExceeded('firestore transaction: too late to begin again');
      // The client retries after a lost answer, although the first attempt may have been applied.
      for (const { value, commitMarker } of before)
        if (commitMarker !== undefined && (await tx.get(this.#db.doc(commitMarker))).exists) return value;
      const transaction = new Transaction(this.#db, tx, this.#marks);
      latest = transaction;
      const value = await work(transaction);
      before.push({ value, commitMarker: transaction.commitMarker });
      return value;
    };
    const attempt = async (left: number): Promise<T> => {
      try {
        const value = await this.#db.runTransaction(once);
        latest?.noteApplied();
        return value;
      } catch (error) {
        if (left === 0 || !isClosedTransaction(error)) throw error;
        return attempt(left - 1);
      }
    };
    return withDeadline('firestore transaction', DEADLINES_MS.firestore, attempt(CLOSED_ATTEMPTS));
  }

  async write(fill: (writes: Writes) => void): Promise<void> {
    const commit = new Commit(this.#api);
    const writes = new Writes(commit, this.#marks);
    fill(writes);
    try {
      await withDeadline('firestore commit', DEADLINES_MS.firestore, commit.apply());
    } catch (error) {
      // The client retries a commit whose answer was lost, and then conflicts with its own first attempt.
      const mayBeOwn = isAlreadyExists(error) || isChanged(error);
      if (!mayBeOwn || !(await this.#isApplied(writes))) throw error;
    }
    writes.noteApplied();
  }

  async #isApplied({ commitMarker }: Writes): Promise<boolean> {
    if (commitMarker === undefined) return false;
    const [read] = await this.#read([commitMarker]);
    return read?.data !== undefined;
  }

  async ping(): Promise<void> {
    await withDeadline('firestore', DEADLINES_MS.readiness, this.#api.read(['tenants/ping']));
  }

  #read(paths: readonly string[]): Promise<Read[]> {
    return withDeadline('firestore read', DEADLINES_MS.firestore, this.#api.read(paths));
  }
}

function decodeAll<Doc>({ from }: Query<Doc>, snapshots: readonly QueryDocumentSnapshot[]): Doc[] {
  return snapshots.flatMap((snapshot) => from.decode(snapshot.data()) ?? []);
}

function decodeWithIds<Doc>({ from }: Query<Doc>, snapshots: readonly QueryDocumentSnapshot[]): WithId<Doc>[] {
  return snapshots.flatMap((snapshot) => {
    const doc = from.decode(snapshot.data());
    return doc === undefined ? [] : { id: snapshot.id, doc };
  });
}

/** Firestore closes a transaction when another waits for its locks; the client retries expired ones only. */
function isClosedTransaction(error: unknown): boolean {
  return hasStatus(error, GRPC.INVALID_ARGUMENT) && /transaction is invalid or closed/i.test(error.message);
}

/** Whether it is unknown if a failed write was applied. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof DeadlineExceeded || UNANSWERED.some((code) => hasStatus(error, code));
}

export function isAlreadyExists(error: unknown): boolean {
  return hasStatus(error, GRPC.ALREADY_EXISTS);
}

/** Whether a precondition on a document's update time failed. */
export function isChanged(error: unknown): boolean {
  return hasStatus(error, GRPC.FAILED_PRECONDITION);
}

export function isNotFound(error: unknown): boolean {
  return hasStatus(error, GRPC.NOT_FOUND);
}
