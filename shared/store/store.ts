import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentData, Timestamp } from '@google-cloud/firestore';
import { Batcher, type BatchLimits } from '../base/batcher.ts';
import type { Instant } from '../base/clock.ts';
import { hedge } from '../base/hedge.ts';
import { nextTurn } from '../base/next-turn.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import { type Collection, readInstant } from './collection.ts';
import { Commit, type UpdateTime } from './commit.ts';
import { isAlreadyExists, isChanged, isNotFound } from './failures.ts';
import { endOfOperation, type FirestoreApi, type Read, type StoredDocument } from './firestore-api.ts';
import type { Marks } from './marks.ts';
import { type DistinctQuery, type Query, structuredQuery, type Values } from './query.ts';
import { runTransaction, type Transaction } from './transaction.ts';
import { decodeFields, decodeValue } from './values.ts';
import { Writes } from './writes.ts';

/** Three calls in flight are best: with fewer, reads wait longer; with more, reads are not faster. */
export const READS: BatchLimits = {
  what: 'reads of single documents',
  owner: 'process',
  past: '`500 internal_error`',
  inFlight: 3,
  asksPerCall: 1_000,
  waitMs: DEADLINES_MS.firestore,
};

/** Documents per page. Firestore's client decodes a page at once and blocks the event loop for milliseconds. */
export const PAGE = 250;

const READ_AT_ONCE = 300;

/** The number of documents to decode before other requests have a turn. */
const DECODED_AT_ONCE = 50;

/** The longest random pause after a conflict, in milliseconds. It doubles each time. */
const PAUSE_MS = { first: 20, longest: 320 };

export interface Reader {
  /** Returns the document, or `undefined` if it does not exist. */
  find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined>;
}

export interface WithId<Doc> {
  readonly id: string;
  readonly doc: Doc;
}

/** A document on which commits depend. `check` throws if it does not allow them. */
interface Guard {
  readonly path: string;
  check(data: DocumentData | undefined): void;
}

/** Reads and writes Firestore documents, parsed with the schemas of their collections. */
export class Store {
  readonly #api: FirestoreApi;
  readonly #reads: Batcher<string, Read>;
  readonly #marks: Marks | undefined;
  readonly #guard: Guard | undefined;
  /** This store without the check of {@link guardedBy}: for cleanup, and to finish a change that was committed. */
  readonly unguarded: Store;

  /** If `marks` is `undefined`, commits store no marks. */
  constructor(api: FirestoreApi, marks?: Marks, guarded?: { readonly store: Store; readonly guard: Guard }) {
    this.#api = api;
    this.#marks = marks;
    this.#guard = guarded?.guard;
    this.unguarded = guarded?.store.unguarded ?? this;
    this.#reads = guarded
      ? guarded.store.#reads
      : new Batcher(READS, (paths, lateMs) => hedge(() => api.read(paths), lateMs));
  }

  /** Returns a store whose commits read this document, and fail with the error of `check` if it throws. */
  guardedBy<Doc>(from: Collection<Doc>, id: string, check: (doc: Doc | undefined) => void): Store {
    const guard = { path: `${from.name}/${id}`, check: (data?: DocumentData) => check(from.decode(data)) };
    return new Store(this.#api, this.#marks, { store: this, guard });
  }

  get waitingReads(): number {
    return this.#reads.waiting;
  }

  async find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    const { data } = await this.read(`${from.name}/${id}`);
    return from.decode(data);
  }

  /** Reads one document. Concurrent reads share a round trip, which begins after this call. */
  read(path: string): Promise<Read> {
    return this.#reads.ask(path);
  }

  /** Reads documents by id, in order. Unlike {@link find}, shares no round trips, so as not to delay single reads. */
  async findAll<Doc>(from: Collection<Doc>, ids: readonly string[]): Promise<(Doc | undefined)[]> {
    const found: (Doc | undefined)[] = [];
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const paths = ids.slice(start, start + READ_AT_ONCE).map((id) => `${from.name}/${id}`);
      for (const { data } of await this.#api.read(paths)) found.push(from.decode(data));
    }
    return found;
  }

  /** Reads a document for {@link Writes.replaceUnchanged} or {@link Writes.removeUnchanged}. */
  async findWithUpdateTime<Doc>(
    from: Collection<Doc>,
    id: string,
  ): Promise<{ doc: Doc; updateTime: UpdateTime } | undefined> {
    const [read] = await this.#api.read([`${from.name}/${id}`]);
    const doc = from.decode(read?.data);
    return doc === undefined || read?.updateTime === undefined ? undefined : { doc, updateTime: read.updateTime };
  }

  /**
   * Repeats `work` on conflict. Throws `unavailable` if conflicts last ten seconds, the deadline of a Firestore call.
   */
  async retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + DEADLINES_MS.firestore;
    for (let longest = PAUSE_MS.first; ; longest = Math.min(2 * longest, PAUSE_MS.longest)) {
      try {
        return await work();
      } catch (error) {
        if (!(isChanged(error) || isNotFound(error) || isAlreadyExists(error))) throw error;
        if (performance.now() > giveUpAt)
          throw new ApiError('unavailable', 'too many changes of the same thing at once');
      }
      await sleep(Math.random() * longest);
    }
  }

  async select<Doc>(query: Query<Doc>, values: Values & { readonly limit: number }): Promise<Doc[]> {
    return (await this.selectWithIds(query, values)).map(({ doc }) => doc);
  }

  async selectWithIds<Doc>(query: Query<Doc>, values: Values & { readonly limit: number }): Promise<WithId<Doc>[]> {
    return decodeWithIds(query, await this.#run(query, values));
  }

  /** Yields results in pages. Documents that change meanwhile may be missing. All others appear once. */
  async *pages<Doc>(query: Query<Doc>, values: Values, limit = PAGE): AsyncGenerator<Doc[]> {
    for await (const page of this.pagesWithIds(query, values, limit)) yield page.map(({ doc }) => doc);
  }

  async *pagesWithIds<Doc>(query: Query<Doc>, values: Values, limit = PAGE): AsyncGenerator<WithId<Doc>[]> {
    let last: StoredDocument | undefined;
    do {
      const page: readonly StoredDocument[] = await this.#run(query, { ...values, limit }, last);
      yield await decodeWithIds(query, page);
      last = page.length < limit ? undefined : page.at(-1);
    } while (last !== undefined);
  }

  /** Yields the distinct values of a field between `past` and `before`, in order. Reads one document for each value. */
  async *distinct<Doc>(query: DistinctQuery<Doc>, past: string, before: string): AsyncGenerator<string> {
    for (let last = past; ; ) {
      const [next] = await this.#run(query, { equal: [], between: [last, before], limit: 1 });
      if (next === undefined) return;
      // The document is not decoded, because an error would hide the documents after it.
      last = String(decodeValue(next.fields?.[query.distinct[0]] ?? {}));
      yield last;
    }
  }

  /** Returns all results at once. Use it only for queries with a limited number of results. */
  async selectAll<Doc>(query: Query<Doc>, values: Values): Promise<Doc[]> {
    return (await Array.fromAsync(this.pages(query, values))).flat();
  }

  #run<Doc>(query: Query<Doc>, values: Values, after?: StoredDocument): Promise<readonly StoredDocument[]> {
    return this.#api.query(structuredQuery(query, values, (path) => this.#api.nameOf(path), after));
  }

  /**
   * Runs a transaction. `work` may run several times, so it must have no effects outside the transaction. Throws
   * `DeadlineExceeded` after ten seconds, the deadline of a Firestore call.
   */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return runTransaction(this.#api, this.#marks, async (tx) => {
      if (this.#guard !== undefined) this.#guard.check((await tx.read(this.#guard.path)).data);
      return work(tx);
    });
  }

  /** Throws the error of {@link guardedBy}'s check if it would now fail. For changes that are not commits. */
  async confirm(): Promise<void> {
    if (this.#guard === undefined) return;
    const [read] = await this.#api.read([this.#guard.path]);
    this.#guard.check(read?.data);
  }

  /** Commits the writes that `fill` adds, all or none. */
  async write(fill: (writes: Writes) => void): Promise<void> {
    const endsAt = endOfOperation();
    const commit = new Commit(this.#api);
    if (this.#guard !== undefined) {
      const [read] = await this.#api.read([this.#guard.path], endsAt);
      this.#guard.check(read?.data);
      commit.verify(this.#guard.path, read?.updateTime);
    }
    const writes = new Writes(commit, this.#marks);
    fill(writes);
    const commitTime = await this.#apply(commit, writes, endsAt);
    if (commitTime !== undefined) writes.noteApplied(commitTime);
  }

  /** Applies the commit and returns its time. */
  async #apply(commit: Commit, { commitMarker }: Writes, endsAt: number): Promise<Timestamp | undefined> {
    try {
      return await commit.apply(endsAt);
    } catch (error) {
      // If the answer to a commit was lost, the commit is retried, and may conflict with its own first attempt.
      const isConflict = isAlreadyExists(error) || isChanged(error) || isNotFound(error);
      const mayBeOwn = commitMarker !== undefined && isConflict;
      const [found] = mayBeOwn ? await this.#api.read([commitMarker], endsAt) : [];
      if (found?.updateTime === undefined) throw error;
      return found.updateTime;
    }
  }

  /** Returns Firestore's time. */
  async time(): Promise<Instant> {
    return readInstant(await this.#api.time());
  }

  async ping(): Promise<void> {
    await this.#api.read(['tenants/ping'], performance.now() + DEADLINES_MS.readiness);
  }
}

async function decodeWithIds<Doc>({ from }: Query<Doc>, found: readonly StoredDocument[]): Promise<WithId<Doc>[]> {
  const decoded: WithId<Doc>[] = [];
  for (const [at, { name, fields }] of found.entries()) {
    if (at > 0 && at % DECODED_AT_ONCE === 0) await nextTurn();
    const doc = from.decode(decodeFields(fields ?? {}));
    if (doc !== undefined) decoded.push({ id: name?.split('/').at(-1) ?? '', doc });
  }
  return decoded;
}
