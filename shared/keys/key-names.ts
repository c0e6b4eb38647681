import { LRUCache } from 'lru-cache';
import type { ApiKeyId, KeyId } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import type { Store } from '../store/store.ts';
import type { ApiKeyCaller } from '../tenancy/caller.ts';
import { CLAIMS, nameClaim } from '../tenancy/claim.ts';
import { isLive, KEYS, type Key } from './key.ts';

/** A name of at most 128 characters and two ids each. */
const NAMES_KEPT = 10_000;

/**
 * Finds live keys by their names in an API key's container. A name is held by a claim, so by itself it takes two reads one
 * after the other. What it led to is remembered, and the key is then read at once, beside everything else: if it is live, in
 * the container and has the name, it is the one, as only one can be. Nothing is decided on what is remembered.
 */
export class KeyNames {
  readonly #store: Store;
  readonly #known = new LRUCache<string, KeyId>({ max: NAMES_KEPT });

  constructor(store: Store) {
    this.#store = store;
  }

  /** The key that the name was last, for this API key. */
  recall(apiKeyId: ApiKeyId, name: string): KeyId | undefined {
    return this.#known.get(entry(apiKeyId, name));
  }

  /** Reads a key beforehand. */
  read(keyId: KeyId): Promise<Key | undefined> {
    return prefetch(this.#store.find(KEYS, keyId));
  }

  /** The live key of that name in the caller's container, `undefined` where there is none. `candidate` is what it may be. */
  async find(caller: ApiKeyCaller, name: string, candidate: Key | undefined): Promise<Key | undefined> {
    if (candidate !== undefined && isNamed(candidate, caller, name)) return candidate;
    const claim = await this.#store.find(CLAIMS, nameClaim('key', caller.containerId, name));
    const key = claim && (await this.#store.find(KEYS, claim.holder));
    if (key === undefined || !isNamed(key, caller, name)) return undefined;
    this.#known.set(entry(caller.apiKeyId, name), key.id);
    return key;
  }
}

function isNamed(key: Key, { containerId }: ApiKeyCaller, name: string): boolean {
  return isLive(key) && key.container_id === containerId && key.name === name;
}

function entry(apiKeyId: ApiKeyId, name: string): string {
  return `${apiKeyId} ${name}`;
}
