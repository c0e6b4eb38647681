import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { Gate } from '../base/gate.ts';
import { Recent } from '../base/recent.ts';
import { ApiError } from '../errors.ts';
import { hashSecret, verifyHash } from './argon2id.ts';
import { Turns } from './turns.ts';

/** Checks, and new hashes. Argon2id costs some 15 ms of a core and 19 MiB each: more side by side would only wait. */
const IN_FLIGHT = 32;
/** How many verified secrets a process remembers: 44 characters of base64 each. */
const REMEMBERED = 10_000;

/**
 * Checks secrets against their Argon2id hashes, each once per process.
 *
 * A verified secret is remembered as its HMAC under a key that never leaves the process, together with the hash that
 * it was verified against; so a changed hash is never satisfied by an old secret. Revocation is not decided here.
 */
export class Secrets {
  readonly #digestKey = createSecretKey(randomBytes(32));
  readonly #verified = new Recent<string, true>(REMEMBERED);
  readonly #underWay = new Map<string, Promise<boolean>>();
  readonly #checks = new Gate(IN_FLIGHT);
  readonly #turns = new Turns();
  readonly #hashes = new Gate(IN_FLIGHT);

  /** How many checks are in flight. */
  get checksInFlight(): number {
    return this.#checks.taken;
  }

  /** Whether `secret` is the one behind `hash`. Throws `unavailable` when too many checks are in flight. */
  async verify(hash: string, secret: string): Promise<boolean> {
    const digest = createHmac('sha256', this.#digestKey).update(hash).update('\0').update(secret).digest('base64');
    if (this.#verified.get(digest)) return true;
    const joined = this.#underWay.get(digest);
    if (joined !== undefined) return joined;
    const check = this.#checks.enter(() => this.#turns.take(hash, () => verifyHash(hash, secret), tooMany), tooMany);
    this.#underWay.set(digest, check);
    try {
      const right = await check;
      if (right) this.#verified.note(digest, true);
      return right;
    } finally {
      this.#underWay.delete(digest);
    }
  }

  /** The hash of a new secret. Throws `unavailable` when too many API keys are being made. */
  hash(secret: string): Promise<string> {
    return this.#hashes.enter(
      () => hashSecret(secret),
      () => new ApiError('unavailable', 'too many new api keys in flight'),
    );
  }
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many api key checks in flight');
}
