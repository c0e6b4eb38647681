import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { FairQueue, type Limits } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import { hashSecret, verifyHash } from './argon2id.ts';
import { Turns } from './turns.ts';

/**
 * Argon2id costs some 15 ms of a core and 19 MiB each, in Node's thread pool of four: more side by side would only wait
 * there, where tenants take no turns.
 */
const LIMITS: Limits = { running: 4, runningPerOwner: 2, waitingPerOwner: 64, waitMs: 5_000 };
/** How many verified secrets a process remembers: 44 characters of base64 each. */
const REMEMBERED = 10_000;

/**
 * Checks secrets against their Argon2id hashes, each once per process as long as it is used.
 *
 * A verified secret is remembered as its HMAC under a key that never leaves the process, together with the hash that
 * it was verified against; so a changed hash is never satisfied by an old secret. Revocation is not decided here.
 */
export class Secrets {
  readonly #digestKey = createSecretKey(randomBytes(32));
  readonly #verified = new LRUCache<string, true>({ max: REMEMBERED });
  readonly #underWay = new Map<string, Promise<boolean>>();
  readonly #turns = new Turns();
  readonly #checks = new FairQueue(LIMITS);
  /** Apart from the checks: whoever is flooded with wrong secrets can still mint an API key. */
  readonly #hashes = new FairQueue(LIMITS);

  /** How many checks run or wait. */
  get checksInFlight(): number {
    return this.#turns.taken;
  }

  /** Whether `secret` is the one behind `hash`. Throws `unavailable` when too many checks of the API key or its tenant wait, or this one waited too long. */
  async verify(tenantId: TenantId, hash: string, secret: string): Promise<boolean> {
    const digest = createHmac('sha256', this.#digestKey).update(hash).update('\0').update(secret).digest('base64');
    if (this.#verified.get(digest)) return true;
    const joined = this.#underWay.get(digest);
    if (joined !== undefined) return joined;
    const check = this.#check(tenantId, hash, secret);
    this.#underWay.set(digest, check);
    try {
      const right = await check;
      if (right) this.#verified.set(digest, true);
      return right;
    } finally {
      this.#underWay.delete(digest);
    }
  }

  /** The hash of a new secret. Throws `unavailable` when too many of the tenant's wait, or this one waited too long. */
  hash(tenantId: TenantId, secret: string): Promise<string> {
    return this.#hashes.run(
      tenantId,
      () => hashSecret(secret),
      () => new ApiError('unavailable', 'too many new api keys in flight'),
    );
  }

  /** Takes its API key's turn first: what waits for that holds no place of the tenant's, nor of all. */
  #check(tenantId: TenantId, hash: string, secret: string): Promise<boolean> {
    const giveUpAt = performance.now() + LIMITS.waitMs;
    const run = async () => {
      if (performance.now() > giveUpAt) throw tooMany();
      return this.#checks.run(tenantId, () => verifyHash(hash, secret), tooMany);
    };
    return this.#turns.take(tenantId, hash, run, tooMany);
  }
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many api key checks in flight');
}
