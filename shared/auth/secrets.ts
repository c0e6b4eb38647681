import { hash as digestOf, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { FairQueue, type Limits } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import { hashSecret, verifyHash } from './argon2id.ts';
import { SerialChecks } from './serial-checks.ts';

/** Node's thread pool has four threads; further checks would wait in its queue, which is not fair to tenants. */
const LIMITS: Limits = { running: 4, runningPerOwner: 2, waitingPerOwner: 64, waitMs: 5_000 };
const CACHE_ENTRIES = 10_000;
const RIGHT = Promise.resolve(true);

/**
 * Verifies secrets against Argon2id hashes, with an LRU cache. An entry is a digest of secret and hash, keyed with
 * what never leaves the process, so a changed hash is never matched by an old secret. Revocation is checked elsewhere.
 */
export class Secrets {
  readonly #digestKey = randomBytes(32).toString('base64');
  readonly #verified = new LRUCache<string, true>({ max: CACHE_ENTRIES });
  readonly #inFlight = new Map<string, Promise<boolean>>();
  readonly #serial = new SerialChecks();
  readonly #checks = new FairQueue(LIMITS);
  /** A queue of its own, so that a flood of wrong secrets does not stop the creation of API keys. */
  readonly #hashes = new FairQueue(LIMITS);

  get checksInFlight(): number {
    return this.#serial.taken;
  }

  /** Throws `unavailable` when too many checks of the API key or its tenant wait, or the wait is too long. */
  verify(tenantId: TenantId, hash: string, secret: string): Promise<boolean> {
    const digest = this.#digest(hash, secret);
    if (this.#verified.get(digest)) return RIGHT;
    return this.#inFlight.get(digest) ?? this.#verifyNew(digest, this.#check(tenantId, hash, secret));
  }

  async #verifyNew(digest: string, check: Promise<boolean>): Promise<boolean> {
    this.#inFlight.set(digest, check);
    try {
      const right = await check;
      if (right) this.#verified.set(digest, true);
      return right;
    } finally {
      this.#inFlight.delete(digest);
    }
  }

  /** Throws `unavailable` when too many of the tenant's hashes wait, or the wait is too long. */
  hash(tenantId: TenantId, secret: string): Promise<string> {
    return this.#hashes.run(
      tenantId,
      () => hashSecret(secret),
      () => new ApiError('unavailable', 'too many new api keys in flight'),
    );
  }

  /** SHA-512/256 takes a key before its input, as its state is longer than what it gives (FIPS 180-4 §6.7): no length extension. */
  #digest(hash: string, secret: string): string {
    return digestOf('sha512-256', `${this.#digestKey}\0${hash}\0${secret}`, 'base64');
  }

  /** Queues per API key first, so that checks waiting there take no slot from the tenant or from others. */
  #check(tenantId: TenantId, hash: string, secret: string): Promise<boolean> {
    const giveUpAt = performance.now() + LIMITS.waitMs;
    const run = async () => {
      if (performance.now() > giveUpAt) throw tooMany();
      return this.#checks.run(tenantId, () => verifyHash(hash, secret), tooMany);
    };
    return this.#serial.take(tenantId, hash, run, tooMany);
  }
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many api key checks in flight');
}
