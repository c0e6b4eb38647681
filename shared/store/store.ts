import type {
  DocumentReference,
  DocumentSnapshot,
  Firestore,
  Transaction as FirestoreTransaction,
  QueryDocumentSnapshot,
} from '@google-cloud/firestore';
import { Batcher, type BatchLimits } from '../base/batcher.ts';
import { DeadlineExceeded, withDeadline } from '../base/deadline.ts';
import { GRPC, hasStatus } from '../base/grpc-status.ts';
import type { RoundTrips } from '../base/round-trips.ts';
import { DEADLINES_MS } from '../config.ts';
import type { Collection } from './collection.ts';
import { buildQuery, type Query, type Values } from './query.ts';
import { Transaction, type UpdateTime, Writes } from './writes.ts';

/** Firestore takes 100 documents a call well; one call at a time carries all that wait, where two would carry less each. */
const READ_LIMITS: BatchLimits = { inFlight: 1, asksPerCall: 100, waitMs: DEADLINES_MS.firestore };

/** How often a transaction is begun anew that Firestore closed. */
const CLOSED_ATTEMPTS = 3;

const UNANSWERED = [
  GRPC.CANCELLED,
  GRPC.UNKNOWN,
  GRPC.DEADLINE_EXCEEDED,
  GRPC.INTERNAL,
  GRPC.UNAVAILABLE,
  GRPC.DATA_LOSS,
];

/** Documents that {@link Store.pages} asks for at a time: at most a few MiB, well within a deadline. */
const PAGE = 1_000;

/** Documents that {@link Store.findAll} asks for in a call. */
const READ_AT_ONCE = 300;

/** How often work is done again that a change got ahead of. */
const CHANGED_ATTEMPTS = 10;

/** What documents are read from one by one: the store, or a transaction in it. */
export interface Reader {
  find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined>;
}

/** The documents of the service. */
export class Store {
  readonly #db: Firestore;
  readonly #trips: RoundTrips;
  readonly #reads: Batcher<DocumentReference, DocumentSnapshot>;

  constructor(db: Firestore, trips: RoundTrips) {
    this.#db = db;
    this.#trips = trips;
    this.#reads = new Batcher((refs) => this.#readBatch(refs), READ_LIMITS);
  }

  /** How many reads wait for a place in a call. */
  get waitingReads(): number {
    return this.#reads.waiting;
  }

  /** One document, read after this call was made. Reads that wait at the same time share one round trip. */
  async find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    const asked = this.#reads.ask(this.#db.collection(from.name).doc(id));
    // The deadline is the ask's: while Firestore is slow, it may wait for a place before its call is made.
    return from.decode(await withDeadline('firestore read', DEADLINES_MS.firestore, asked));
  }

  /**
   * Documents by their ids, in that order, `undefined` where there is none. They are read in calls of their own, one after
   * another: whoever reads many keeps nobody waiting who reads one.
   */
  async findAll<Doc>(from: Collection<Doc>, ids: readonly string[]): Promise<(Doc | undefined)[]> {
    const found: (Doc | undefined)[] = [];
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      this.#trips.add('read');
      const refs = ids.slice(start, start + READ_AT_ONCE).map((id) => this.#db.collection(from.name).doc(id));
      const snapshots = await withDeadline('firestore read', DEADLINES_MS.firestore, this.#db.getAll(...refs));
      for (const snapshot of snapshots) found.push(from.decode(snapshot));
    }
    return found;
  }

  /** One document with the time of its last write, by which writes know whether it is still that. */
  async findWithUpdateTime<Doc>(
    from: Collection<Doc>,
    id: string,
  ): Promise<{ doc: Doc; updateTime: UpdateTime } | undefined> {
    const read = this.#db.collection(from.name).doc(id).get();
    const snapshot = await withDeadline('firestore read', DEADLINES_MS.firestore, read);
    const doc = from.decode(snapshot);
    return doc === undefined || snapshot.updateTime === undefined
      ? undefined
      : { doc, updateTime: snapshot.updateTime };
  }

  /**
   * Does `work` again while what it found to be unchanged has changed meanwhile. It holds no locks, so it never waits
   * for those who change it. `again` tells it so: the change may be its own, made by a commit whose answer was lost.
   */
  async retryOnConflict<T>(work: (again: boolean) => Promise<T>): Promise<T> {
    for (let left = CHANGED_ATTEMPTS; ; left--) {
      try {
        return await work(left < CHANGED_ATTEMPTS);
      } catch (error) {
        if (left === 0 || !(isChanged(error) || isNotFound(error))) throw error;
      }
    }
  }

  /** The documents that a query selects, at most `limit` of them. */
  async select<Doc>(query: Query<Doc>, values: Values & { readonly limit: number }): Promise<Doc[]> {
    return decodeAll(query, await this.#run(query, values));
  }

  /**
   * All documents that a query selects, a page of `limit` at a time: in the query's order, then by document id. What is added
   * or changed meanwhile may be among them or not; the rest is there once.
   */
  async *pages<Doc>(query: Query<Doc>, values: Values, limit = PAGE): AsyncGenerator<Doc[]> {
    let last: QueryDocumentSnapshot | undefined;
    do {
      const page: readonly QueryDocumentSnapshot[] = await this.#run(query, { ...values, limit }, last);
      yield decodeAll(query, page);
      last = page.length < limit ? undefined : page.at(-1);
    } while (last !== undefined);
  }

  /** All documents that a query selects, read in {@link pages}. Only where there is a bound on how many there can be. */
  async selectAll<Doc>(query: Query<Doc>, values: Values): Promise<Doc[]> {
    return (await Array.fromAsync(this.pages(query, values))).flat();
  }

  async #run<Doc>(
    query: Query<Doc>,
    values: Values,
    after?: QueryDocumentSnapshot,
  ): Promise<readonly QueryDocumentSnapshot[]> {
    this.#trips.add('query');
    const first = buildQuery(this.#db.collection(query.from.name), query, values);
    const selected = (after === undefined ? first : first.startAfter(after)).get();
    return (await withDeadline('firestore query', DEADLINES_MS.firestore, selected)).docs;
  }

  /** Decides on what it reads and writes it, all or nothing. `work` may run several times; it must do nothing else. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + DEADLINES_MS.firestore;
    const before: { value: T; commitMarker: DocumentReference | undefined }[] = [];
    const once = async (tx: FirestoreTransaction): Promise<T> => {
      if (performance.now() > giveUpAt) throw new DeadlineExceeded('firestore transaction: too late to begin again');
      // The client begins anew where an answer was lost, though what it answered to may have been applied.
      for (const { value, commitMarker } of before)
        if (commitMarker !== undefined && (await tx.get(commitMarker)).exists) return value;
      const transaction = new Transaction(this.#db, tx);
      const value = await work(transaction);
      before.push({ value, commitMarker: transaction.commitMarker });
      return value;
    };
    const attempt = async (left: number): Promise<T> => {
      this.#trips.add('transaction');
      try {
        return await this.#db.runTransaction(once);
      } catch (error) {
        if (left === 0 || !isClosedTransaction(error)) throw error;
        return attempt(left - 1);
      }
    };
    return withDeadline('firestore transaction', DEADLINES_MS.firestore, attempt(CLOSED_ATTEMPTS));
  }

  /** Writes without reading, all or nothing. */
  async write(fill: (writes: Writes) => void): Promise<void> {
    this.#trips.add('commit');
    const batch = this.#db.batch();
    const writes = new Writes(this.#db, batch);
    fill(writes);
    try {
      await withDeadline('firestore commit', DEADLINES_MS.firestore, batch.commit());
    } catch (error) {
      // The client makes a commit again whose answer was lost, and finds what it created itself in the way, or changed.
      const mayBeOwn = isAlreadyExists(error) || isChanged(error);
      if (!mayBeOwn || !(await this.#isApplied(writes))) throw error;
    }
  }

  async #isApplied({ commitMarker }: Writes): Promise<boolean> {
    if (commitMarker === undefined) return false;
    return (await withDeadline('firestore read', DEADLINES_MS.firestore, commitMarker.get())).exists;
  }

  /** Throws when Firestore does not answer. */
  async ping(): Promise<void> {
    const read = this.#db.collection('tenants').doc('ping').get();
    await withDeadline('firestore', DEADLINES_MS.readiness, read);
  }

  async #readBatch(refs: readonly DocumentReference[]): Promise<DocumentSnapshot[]> {
    this.#trips.add('read');
    const byPath = new Map(refs.map((ref) => [ref.path, ref]));
    const read = this.#db.getAll(...byPath.values());
    const snapshots = await withDeadline('firestore read', DEADLINES_MS.firestore, read);
    const found = new Map(snapshots.map((snapshot) => [snapshot.ref.path, snapshot]));
    return refs.flatMap((ref) => found.get(ref.path) ?? []);
  }
}

function decodeAll<Doc>({ from }: Query<Doc>, snapshots: readonly QueryDocumentSnapshot[]): Doc[] {
  return snapshots.flatMap((snapshot) => from.decode(snapshot) ?? []);
}

/** The client begins a transaction anew that expired, but not one that Firestore closed because another waited for its locks. */
function isClosedTransaction(error: unknown): boolean {
  return hasStatus(error, GRPC.INVALID_ARGUMENT) && /transaction is invalid or closed/i.test(error.message);
}

/** Whether a write failed without an answer, so that nobody knows whether it was applied. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof DeadlineExceeded || UNANSWERED.some((code) => hasStatus(error, code));
}

/** Whether a write failed because a document that it creates is there already. */
export function isAlreadyExists(error: unknown): boolean {
  return hasStatus(error, GRPC.ALREADY_EXISTS);
}

/** Whether a write failed because a document is not as it was read. */
export function isChanged(error: unknown): boolean {
  return hasStatus(error, GRPC.FAILED_PRECONDITION);
}

/** Whether a write failed because a document that it changes is gone. */
export function isNotFound(error: unknown): boolean {
  return hasStatus(error, GRPC.NOT_FOUND);
}
