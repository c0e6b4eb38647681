import type { DocumentData, Timestamp } from '@google-cloud/firestore';
import { FirestoreClient, type protos } from '@google-cloud/firestore-api';
import { LRUCache } from 'lru-cache';
import { GRPC } from '../grpc/status.ts';
import { decodeFields, decodeTimestamp } from './values.ts';
import { retry } from './within.ts';

export type Write = protos.google.firestore.v1.IWrite;

type Settings = ConstructorParameters<typeof FirestoreClient>[0];

export interface Read {
  readonly data?: DocumentData;
  readonly updateTime?: Timestamp;
}

const ABSENT: Read = {};

/** The statuses after which a read is retried. None of them means that Firestore refused the read for good. */
export const READ_AGAIN = [
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

/** Calls Firestore's API directly. The `Firestore` class needs three times the CPU time for a read. */
export class FirestoreApi {
  readonly #makeClient: () => FirestoreClient;
  #made: FirestoreClient | undefined;
  readonly #database: string;
  readonly #headers: Readonly<Record<string, string>>;
  /** The last read of each document. An unchanged document is not decoded and parsed again. */
  readonly #lastFound = new LRUCache<string, Read>({ max: READS_KEPT });

  constructor(project: string, settings: Settings, headers: Readonly<Record<string, string>> = {}) {
    this.#makeClient = () => new FirestoreClient({ projectId: project, ...settings });
    this.#database = `projects/${project}/databases/(default)`;
    // Google routes a call to the database's region by this header.
    this.#headers = { 'google-cloud-resource-prefix': this.#database, ...headers };
  }

  /** Firestore's client. Created at the first call, because loading it would delay the start of a process. */
  get #client(): FirestoreClient {
    this.#made ??= this.#makeClient();
    return this.#made;
  }

  nameOf(path: string): string {
    return `${this.#database}/documents/${path}`;
  }

  /** Returns the documents at these paths, in order. Throws if the answer lacks one of the paths. */
  async read(paths: readonly string[]): Promise<Read[]> {
    const names = paths.map((path) => this.nameOf(path));
    const found = await retry([...READ_AGAIN, GRPC.ABORTED], () => this.#find(names));
    return names.map((name) => {
      const read = found.get(name);
      if (read === undefined) throw new Error('Firestore returned no result for a requested document');
      return read;
    });
  }

  async #find(names: readonly string[]): Promise<ReadonlyMap<string, Read>> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const found = new Map<string, Read>();
    this.#client
      .batchGetDocuments({ database: this.#database, documents: [...new Set(names)] }, this.#options())
      .on('data', (answer: protos.google.firestore.v1.IBatchGetDocumentsResponse) => {
        if (answer.found?.name) found.set(answer.found.name, this.#decode(answer.found.name, answer.found));
        else if (answer.missing) found.set(answer.missing, ABSENT);
      })
      .on('error', reject)
      .on('end', resolve);
    await promise;
    return found;
  }

  #decode(name: string, { fields, updateTime }: protos.google.firestore.v1.IDocument): Read {
    const last = this.#lastFound.get(name);
    const writtenAt = updateTime ? decodeTimestamp(updateTime) : undefined;
    if (writtenAt !== undefined && last?.updateTime?.isEqual(writtenAt)) return last;
    const read = { data: decodeFields(fields ?? {}), ...(writtenAt && { updateTime: writtenAt }) };
    this.#lastFound.set(name, read);
    return read;
  }

  /** Applies all writes or none. Returns the commit time. */
  async commit(writes: Write[]): Promise<Timestamp> {
    const again = addsTwice(writes) ? NOT_APPLIED : PERHAPS_APPLIED;
    const request = { database: this.#database, writes };
    const [{ commitTime }] = await retry(again, () => this.#client.commit(request, this.#options()));
    return decodeTimestamp(commitTime ?? {});
  }

  #options() {
    return { otherArgs: { headers: { ...this.#headers } } };
  }
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
