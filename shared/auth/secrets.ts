import { hash as digestOf, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { FairQueue, type Limits } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import { hashSecret, verifyHash } from './argon2id.ts';
import { SerialChecks } from './serial-checks.ts';

/** Node's thread pool runs four checks at a time. Further checks wait in a queue in which tenants take turns. */
const LIMITS: Limits = { running: 4, runningPerOwner: 2, waitingPerOwner: 64, waitMs: 5_000 };
const CACHE_ENTRIES = 10_000;
const VALID = Promise.resolve(true);

export interface PresentedSecret {
  readonly text: string;
  /** The cache key, valid only in this process. */
  readonly digest: string;
}

/** Checks and hashes secrets. Caches valid secrets together with their hash. Does not check for revocation. */
export class Secrets {
  readonly #digestKey = randomBytes(32).toString('base64');
  readonly #verified = new LRUCache<string, string>({ max: CACHE_ENTRIES });
  readonly #inFlight = new Map<string, Promise<boolean>>();
  readonly #serial = new SerialChecks();
  readonly #checks = new FairQueue(LIMITS);
  /** New secrets have their own queue, so a flood of wrong secrets does not stop the creation of API keys. */
  readonly #hashes = new FairQueue(LIMITS);

  get checksInFlight(): number {
    return this.#serial.taken;
  }

  /** Returns the secret and its digest under a random key of this process. SHA-512/256 prevents length extension. */
  present(text: string): PresentedSecret {
    return { text, digest: digestOf('sha512-256', `${this.#digestKey} ${text}`, 'base64') };
  }

  /** Whether the secret has this hash. Throws `unavailable` if too many checks wait, or the wait is too long. */
  verify(tenantId: TenantId, hash: string, secret: PresentedSecret): Promise<boolean> {
    if (this.#verified.get(secret.digest) === hash) return VALID;
    return this.#inFlight.get(nameOfCheck(hash, secret)) ?? this.#verifyNew(tenantId, hash, secret);
  }

  async #verifyNew(tenantId: TenantId, hash: string, secret: PresentedSecret): Promise<boolean> {
    const name = nameOfCheck(hash, secret);
    const check = this.#check(tenantId, hash, secret.text);
    this.#inFlight.set(name, check);
    try {
      const isValid = await check;
      if (isValid) this.#verified.set(secret.digest, hash);
      return isValid;
    } finally {
      this.#inFlight.delete(name);
    }
  }

  /** Returns a secret's hash. Throws `unavailable` if too many hashes wait, or the wait is too long. */
  hash(tenantId: TenantId, secret: string): Promise<string> {
    return this.#hashes.run(
      tenantId,
      () => hashSecret(secret),
      () => new ApiError('unavailable', 'too many api key creations in progress'),
    );
  }

  /** Checks a secret. Checks of the same API key run one after the other, so that they do not block other API keys. */
  #check(tenantId: TenantId, hash: string, secret: string): Promise<boolean> {
    const giveUpAt = performance.now() + LIMITS.waitMs;
    const run = async () => {
      if (performance.now() > giveUpAt) throw tooMany();
      return this.#checks.run(tenantId, () => verifyHash(hash, secret), tooMany);
    };
    return this.#serial.take(tenantId, hash, run, tooMany);
  }
}

function nameOfCheck(hash: string, { digest }: PresentedSecret): string {
  return `${digest} ${hash}`;
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many api key checks in progress');
}
