import { hash as digestOf, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import { hashSecret, verifyHash } from './argon2id.ts';

/** Node's thread pool runs four checks at a time. */
const OF_A_TENANT = { owner: 'tenant', running: 4, runningPerOwner: 2 };
const WAIT = { waitingPerOwner: 64, waitMs: 5_000 };

export const SECRET_CHECKS: Turns = {
  ...OF_A_TENANT,
  what: 'checks of secrets for all API keys',
  bound: { ...WAIT, refuse: () => tooMany('checks') },
};
/** The checks of an API key run one after the other, so a flood of wrong secrets hardly slows other API keys. */
export const CHECKS_OF_API_KEY: Turns = {
  what: 'checks of secrets for one API key; a pause of 50 ms follows a wrong secret',
  owner: 'API key',
  running: Number.POSITIVE_INFINITY,
  runningPerOwner: 1,
  bound: { ...WAIT, waitingPerOwner: 7, refuse: () => tooMany('checks') },
};
/** New secrets have their own queue, so a flood of wrong secrets does not stop the creation of API keys. */
export const SECRET_HASHES: Turns = {
  ...OF_A_TENANT,
  what: 'hashes of new secrets',
  bound: { ...WAIT, refuse: () => tooMany('creations') },
};

/** The pause after a wrong secret. With it, guessing the secret of one API key uses at most a quarter of a core. */
const PENALTY_MS = 50;
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
  readonly #ofApiKeys = new FairQueue(CHECKS_OF_API_KEY);
  readonly #checks = new FairQueue(SECRET_CHECKS);
  readonly #hashes = new FairQueue(SECRET_HASHES);

  get checksInFlight(): number {
    return this.#inFlight.size;
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
    return this.#hashes.run(tenantId, () => hashSecret(secret));
  }

  async #check(tenantId: TenantId, hash: string, secret: string): Promise<boolean> {
    const turn = await this.#ofApiKeys.take(hash);
    let isValid = true;
    try {
      isValid = await this.#checks.run(tenantId, () => verifyHash(hash, secret));
      return isValid;
    } finally {
      const end = () => turn[Symbol.dispose]();
      if (isValid) end();
      else setTimeout(end, PENALTY_MS);
    }
  }
}

function nameOfCheck(hash: string, { digest }: PresentedSecret): string {
  return `${digest} ${hash}`;
}

function tooMany(what: 'checks' | 'creations'): ApiError {
  return new ApiError('unavailable', `too many api key ${what} in progress`);
}
