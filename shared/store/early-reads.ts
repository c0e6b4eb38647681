import { LRUCache } from 'lru-cache';
import { prefetch } from '../base/prefetch.ts';
import type { Collection } from './collection.ts';
import type { Read } from './firestore-api.ts';
import type { Reader, Store } from './store.ts';

/** The number of requests whose reads are remembered. Each entry has a name and a few paths. */
const NAMES_KEPT = 10_000;

/** Reads documents before a request's checks ask for them, so that they share one round trip. */
export class EarlyReads {
  readonly #store: Store;
  /** The paths of the documents that the last request of each name needed. */
  readonly #needed = new LRUCache<string, ReadonlySet<string>>({ max: NAMES_KEPT });

  constructor(store: Store) {
    this.#store = store;
  }

  /** Begins to read what the last request with this name needed. No decision depends on what was read for it. */
  begin(name: string): RequestReads {
    return new RequestReads(this.#store, this.#needed.get(name) ?? new Set(), (paths) => this.#needed.set(name, paths));
  }
}

/** The documents that one request needs. Each is read once. */
export class RequestReads implements Reader {
  readonly #store: Store;
  readonly #remember: (needed: ReadonlySet<string>) => void;
  readonly #expected: ReadonlySet<string>;
  readonly #read = new Map<string, Promise<Read>>();
  readonly #needed = new Set<string>();

  constructor(store: Store, expected: ReadonlySet<string>, remember: (needed: ReadonlySet<string>) => void) {
    this.#store = store;
    this.#expected = expected;
    this.#remember = remember;
    for (const path of expected) this.#begin(path);
  }

  async find<Doc>(from: Collection<Doc>, id: string): Promise<Doc | undefined> {
    const path = `${from.name}/${id}`;
    this.#needed.add(path);
    const { data } = await (this.#read.get(path) ?? this.#begin(path));
    return from.decode(data);
  }

  /** Returns the document of this collection that the last request with the same name needed, as it is now. */
  async findExpected<Doc>(from: Collection<Doc>): Promise<Doc | undefined> {
    const start = `${from.name}/`;
    const path = [...this.#expected].find((candidate) => candidate.startsWith(start));
    return path === undefined ? undefined : this.find(from, path.slice(start.length));
  }

  /** Lets the next request with the same name read early what this one needed. */
  remember(): void {
    this.#remember(this.#needed);
  }

  #begin(path: string): Promise<Read> {
    const read = prefetch(this.#store.read(path));
    this.#read.set(path, read);
    return read;
  }
}
