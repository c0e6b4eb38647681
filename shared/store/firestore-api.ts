import type { DocumentData, Timestamp } from '@google-cloud/firestore';
import { FirestoreClient, type protos } from '@google-cloud/firestore-api';
import { LRUCache } from 'lru-cache';
import { DEADLINES_MS } from '../deadlines.ts';
import { type CallOptions, Connection } from '../grpc/connection.ts';
import { GRPC } from '../grpc/status.ts';
import { decodeFields, decodeTimestamp } from './values.ts';

export type Write = protos.google.firestore.v1.IWrite;
export type StoredDocument = protos.google.firestore.v1.IDocument;
export type StructuredQuery = protos.google.firestore.v1.IStructuredQuery;

/** A transaction's id, or a request to begin one. `retry` is the id of the attempt that failed. */
export type InTransaction = { readonly id: Uint8Array } | { readonly retry: Uint8Array | undefined };

type Settings = ConstructorParameters<typeof FirestoreClient>[0];

export interface Read {
  readonly data?: DocumentData;
  readonly updateTime?: Timestamp;
}

const ABSENT: Read = {};

/** The statuses after which a read is retried. None of them means that Firestore refused the read for good. */
const READ_AGAIN = [
  GRPC.ABORTED,
  GRPC.CANCELLED,
  GRPC.UNKNOWN,
  GRPC.DEADLINE_EXCEEDED,
  GRPC.RESOURCE_EXHAUSTED,
  GRPC.INTERNAL,
  GRPC.UNAVAILABLE,
];

/** The statuses after which a commit is retried. With those in `NOT_APPLIED`, Firestore did not apply the commit. */
const NOT_APPLIED = [GRPC.RESOURCE_EXHAUSTED, GRPC.ABORTED];
const PERHAPS_APPLIED = [...NOT_APPLIED, GRPC.UNAVAILABLE];

/** The number of cached reads. Each has a few kilobytes. */
const READS_KEPT = 5_000;

/**
 * Calls Firestore's API with its generated client. Google's `Firestore` class needs three times the CPU time for a read,
 * and no documented setting bounds all attempts of a call by one deadline.
 */
export class FirestoreApi {
  readonly #server: Connection<FirestoreClient>;
  readonly #database: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** The last read of each document. An unchanged document is not decoded and parsed again. */
  readonly #lastFound = new LRUCache<string, Read>({ max: READS_KEPT });

  constructor(project: string, settings: Settings, headers: Readonly<Record<string, string>> = {}) {
    const server = { what: 'firestore', deadlineMs: DEADLINES_MS.firestore } as const;
    this.#server = new Connection(server, () => new FirestoreClient({ projectId: project, ...settings }));
    this.#database = `projects/${project}/databases/(default)`;
    // Google routes a call to the database's region by this header.
    this.#headers = { 'google-cloud-resource-prefix': this.#database, ...headers };
  }

  nameOf(path: string): string {
    return `${this.#database}/documents/${path}`;
  }

  /** Returns the documents at these paths, in order. Throws if the answer lacks one of the paths. */
  async read(paths: readonly string[], endsAt = endOfOperation()): Promise<Read[]> {
    const names = paths.map((path) => this.nameOf(path));
    const documents = [...new Set(names)];
    const { found } = await this.#server.call(READ_AGAIN, (...to) => this.#find(to, documents), endsAt);
    return names.map((name) => foundIn(found, name));
  }

  /** Reads a document in a transaction. Returns the transaction's id too. The caller retries the whole transaction. */
  async readIn(transaction: InTransaction, path: string, endsAt: number): Promise<{ read: Read; id: Uint8Array }> {
    const name = this.nameOf(path);
    const { found, begun } = await this.#server.call([], (...to) => this.#find(to, [name], transaction), endsAt);
    const id = 'id' in transaction ? transaction.id : begun;
    if (id === undefined) throw new Error('Firestore began no transaction');
    return { read: foundIn(found, name), id };
  }

  /** Returns Firestore's time. */
  async time(): Promise<Timestamp> {
    const request = { database: this.#database, documents: [this.nameOf('tenants/time')] };
    const attempt = async (client: FirestoreClient, options: CallOptions) => {
      const { promise, resolve, reject } = Promise.withResolvers<Timestamp>();
      client
        .batchGetDocuments(request, this.#with(options))
        .on('data', ({ readTime }: protos.google.firestore.v1.IBatchGetDocumentsResponse) => {
          if (readTime) resolve(decodeTimestamp(readTime));
        })
        .on('error', reject)
        .on('end', () => reject(new Error('Firestore returned no time')));
      return promise;
    };
    return this.#server.call(READ_AGAIN, attempt, endOfOperation());
  }

  async #find(
    [client, options]: readonly [FirestoreClient, CallOptions],
    documents: string[],
    transaction?: InTransaction,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const found = new Map<string, Read>();
    let begun: Uint8Array | undefined;
    const request = { database: this.#database, documents, ...(transaction && consistency(transaction)) };
    client
      .batchGetDocuments(request, this.#with(options))
      .on('data', (answer: protos.google.firestore.v1.IBatchGetDocumentsResponse) => {
        if (answer.transaction?.length) begun = bytesOf(answer.transaction);
        if (answer.found?.name) found.set(answer.found.name, this.#decode(answer.found.name, answer.found));
        else if (answer.missing) found.set(answer.missing, ABSENT);
      })
      .on('error', reject)
      .on('end', resolve);
    await promise;
    return { found, begun };
  }

  /** Returns the documents that a query finds. */
  query(structuredQuery: StructuredQuery, endsAt = endOfOperation()): Promise<StoredDocument[]> {
    const request = { parent: `${this.#database}/documents`, structuredQuery };
    const attempt = async (client: FirestoreClient, options: CallOptions) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const found: StoredDocument[] = [];
      client
        .runQuery(request, this.#with(options))
        .on('data', ({ document }: protos.google.firestore.v1.IRunQueryResponse) => document && found.push(document))
        .on('error', reject)
        .on('end', resolve);
      await promise;
      return found;
    };
    return this.#server.call(READ_AGAIN, attempt, endsAt);
  }

  #decode(name: string, { fields, updateTime }: protos.google.firestore.v1.IDocument): Read {
    const last = this.#lastFound.get(name);
    const writtenAt = updateTime ? decodeTimestamp(updateTime) : undefined;
    if (writtenAt !== undefined && last?.updateTime?.isEqual(writtenAt)) return last;
    const read = { data: decodeFields(fields ?? {}), ...(writtenAt && { updateTime: writtenAt }) };
    this.#lastFound.set(name, read);
    return read;
  }

  /** Applies all writes or none, as the end of a transaction if there is one. Returns the commit time. */
  async commit(writes: Write[], endsAt = endOfOperation(), transaction?: Uint8Array): Promise<Timestamp | undefined> {
    const again = transaction ? [] : addsTwice(writes) ? NOT_APPLIED : PERHAPS_APPLIED;
    const request = { database: this.#database, writes, ...(transaction && { transaction }) };
    const attempt = (client: FirestoreClient, options: CallOptions) => client.commit(request, this.#with(options));
    const [{ commitTime }] = await this.#server.call(again, attempt, endsAt);
    return commitTime ? decodeTimestamp(commitTime) : undefined;
  }

  /** Frees the locks of a transaction. It changes nothing, so it may run after the deadline. */
  async rollBack(transaction: Uint8Array): Promise<void> {
    const request = { database: this.#database, transaction };
    await this.#server.call(READ_AGAIN, (client, options) => client.rollback(request, this.#with(options)));
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #with(options: CallOptions) {
    return { ...options, otherArgs: { headers: { ...this.#headers } } };
  }
}

/** Returns when an operation of the store that begins now must end, in milliseconds on the monotonic clock. */
export function endOfOperation(): number {
  return performance.now() + DEADLINES_MS.firestore;
}

function foundIn(found: ReadonlyMap<string, Read>, name: string): Read {
  const read = found.get(name);
  if (read === undefined) throw new Error('Firestore returned no result for a requested document');
  return read;
}

function consistency(transaction: InTransaction) {
  if ('id' in transaction) return { transaction: transaction.id };
  const { retry } = transaction;
  return { newTransaction: { readWrite: retry === undefined ? {} : { retryTransaction: retry } } };
}

function bytesOf(bytes: Uint8Array | string): Uint8Array {
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : bytes;
}

/** Whether a repetition of these writes would add to numbers twice, because no precondition makes it fail. */
function addsTwice(writes: readonly Write[]): boolean {
  const isRefusedTwice = writes.some(
    ({ currentDocument: found, ...write }) => found?.exists === false || (found?.updateTime && !isEmpty(write)),
  );
  return !isRefusedTwice && writes.some(({ updateTransforms }) => updateTransforms?.length);
}

/** Whether a write only has a precondition. It leaves the document's update time as it is. */
function isEmpty({ updateMask, updateTransforms }: Write): boolean {
  return updateMask?.fieldPaths?.length === 0 && !updateTransforms?.length;
}
