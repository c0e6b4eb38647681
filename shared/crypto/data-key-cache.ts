import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { startStopwatch } from '../base/clock.ts';
import { idBytes, type KeyId, type TenantId } from '../base/ids.ts';
import type { Decrypted, Kms } from '../kms/kms.ts';
import type { KmsOperations } from '../kms/kms-operations.ts';
import { SecretBytes } from './secret-bytes.ts';

const CACHE_BYTES = 128 * 2 ** 20;
const ENTRY_BYTES = 1_700;
const CACHE_TTL_MS = 5 * 60_000;
/** Expired data keys are removed from memory at this interval. */
const PURGE_EVERY_MS = 10_000;

/** Identifies a data key. It is the aad of the wrapped data key, so that stored data keys cannot be swapped. */
export interface DataKeyPlace {
  readonly tenantId: TenantId;
  readonly keyId: KeyId;
  readonly version: number;
}

interface Cached {
  readonly dataKey: Promise<KeyObject>;
  /** Returns the age in milliseconds. */
  readonly age: () => number;
}

/** Caches the data keys of `free` and `wrapped` keys. Callers must check in the stored key that a version is usable. */
export class DataKeyCache {
  readonly #kms: Kms;
  readonly #operations: KmsOperations;
  readonly #root: string;
  readonly #cache: LRUCache<string, Cached>;

  constructor(kms: Kms, operations: KmsOperations, root: string, cacheBytes = CACHE_BYTES) {
    this.#kms = kms;
    this.#operations = operations;
    this.#root = root;
    const max = Math.floor(cacheBytes / ENTRY_BYTES);
    this.#cache = new LRUCache({ max });
    setInterval(() => this.#purge(), PURGE_EVERY_MS).unref();
  }

  /** Returns a new data key of 32 random bytes, wrapped. Throws `unavailable` if the KMS quota is used up. */
  async make(place: DataKeyPlace): Promise<Buffer> {
    await this.#operations.takeForDataKey(place.tenantId);
    using secrets = new SecretBytes();
    const bytes = secrets.keep(makeDek());
    const wrapped = await this.#kms.encrypt(this.#root, bytes, bind(place));
    if (wrapped === undefined) throw new Error('the primary version of the wrapped root is not enabled');
    return wrapped;
  }

  /** Returns the unwrapped data key. Throws `unavailable` if it is not cached and the KMS quota is used up. */
  unwrap(place: DataKeyPlace, wrapped: Buffer): Promise<KeyObject> {
    const name = `${place.keyId} ${place.version}`;
    const cached = this.#cache.get(name);
    if (cached !== undefined && cached.age() <= CACHE_TTL_MS) return cached.dataKey;
    const dataKey = this.#unwrapNow(place, wrapped);
    this.#cache.set(name, { dataKey, age: startStopwatch() });
    dataKey.catch(() => this.#cache.peek(name)?.dataKey === dataKey && this.#cache.delete(name));
    return dataKey;
  }

  #purge(): void {
    const expired = [...this.#cache.entries()].filter(([, { age }]) => age() > CACHE_TTL_MS);
    for (const [name] of expired) this.#cache.delete(name);
  }

  async canUnwrap(place: DataKeyPlace, wrapped: Buffer): Promise<boolean> {
    const opened = await this.#open(place, wrapped);
    if (opened === undefined) return false;
    using secrets = new SecretBytes();
    secrets.keep(opened.plaintext);
    return true;
  }

  async #unwrapNow(place: DataKeyPlace, wrapped: Buffer): Promise<KeyObject> {
    const opened = await this.#open(place, wrapped);
    if (opened === undefined) throw new Error('the wrapped root cannot unwrap a stored data key');
    using secrets = new SecretBytes();
    return createSecretKey(secrets.keep(opened.plaintext));
  }

  async #open(place: DataKeyPlace, wrapped: Buffer): Promise<Decrypted | undefined> {
    await this.#operations.takeForDataKey(place.tenantId);
    return this.#kms.decrypt(this.#root, wrapped, bind(place));
  }
}

function bind({ tenantId, keyId, version }: DataKeyPlace): Buffer {
  const bound = Buffer.concat([idBytes(tenantId), idBytes(keyId), Buffer.alloc(4)]);
  bound.writeUInt32BE(version, 32);
  return bound;
}

export function makeDek(bytes = 32): Buffer {
  return randomBytes(bytes);
}
