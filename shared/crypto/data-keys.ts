import { createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { idBytes, type KeyId, type TenantId } from '../base/ids.ts';
import { makeDek } from './dek.ts';
import type { Kms } from './kms.ts';
import { wiping } from './wiping.ts';

const KEPT = 10_000;
const KEPT_MS = 5 * 60_000;
/** How long what has expired may still be in memory, where nobody is given it. */
const PURGE_EVERY_MS = 10_000;

/** Where a data key belongs: bound into its wrapping, so that a stored one cannot stand in for another. */
export interface DataKeyPlace {
  readonly tenantId: TenantId;
  readonly keyId: KeyId;
  readonly version: number;
}

/**
 * The data keys of `free` and `wrapped` keys, wrapped by the shared root. Unwrapped ones are kept in memory, bounded in
 * number and in minutes: nothing else holds what gave way or expired. Whether a version may still be used is decided by
 * the key's record, never by what is kept here.
 */
export class DataKeys {
  readonly #kms: Kms;
  readonly #root: string;
  readonly #kept = new LRUCache<string, Promise<KeyObject>>({
    max: KEPT,
    ttl: KEPT_MS,
    ttlResolution: 0,
    perf: performance,
  });

  constructor(kms: Kms, root: string) {
    this.#kms = kms;
    this.#root = root;
    setInterval(() => this.#kept.purgeStale(), PURGE_EVERY_MS).unref();
  }

  /** A new data key of 32 random bytes for that place, wrapped. */
  async make(place: DataKeyPlace): Promise<Buffer> {
    const bytes = makeDek();
    using _ = wiping(bytes);
    const wrapped = await this.#kms.encrypt(this.#root, bytes, bind(place));
    if (wrapped === undefined) throw new Error('the wrapped root has no version that is enabled');
    return wrapped;
  }

  /** The data key of that place, unwrapped: by the KMS the first time, from memory for some minutes after. */
  unwrap(place: DataKeyPlace, wrapped: Buffer): Promise<KeyObject> {
    const name = `${place.keyId} ${place.version}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const dataKey = this.#unwrapNow(place, wrapped);
    this.#kept.set(name, dataKey);
    dataKey.catch(() => this.#kept.peek(name) === dataKey && this.#kept.delete(name));
    return dataKey;
  }

  async #unwrapNow(place: DataKeyPlace, wrapped: Buffer): Promise<KeyObject> {
    const bytes = await this.#kms.decrypt(this.#root, wrapped, bind(place));
    if (bytes === undefined) throw new Error('the wrapped root does not open a stored data key');
    using _ = wiping(bytes);
    return createSecretKey(bytes);
  }
}

function bind({ tenantId, keyId, version }: DataKeyPlace): Buffer {
  const bound = Buffer.concat([idBytes(tenantId), idBytes(keyId), Buffer.alloc(4)]);
  bound.writeUInt32BE(version, 32);
  return bound;
}
