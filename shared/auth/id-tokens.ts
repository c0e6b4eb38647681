import { compactVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { type Clock, type Instant, MINUTE_US, makeInstant, SECOND_US, viewInstant } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import { unauthorized } from '../errors.ts';
import type { Workload } from '../tenancy/caller.ts';
import { fetchKeys } from './fetch-keys.ts';
import type { IdToken } from './id-token.ts';
import { IssuerKeys } from './issuer-keys.ts';
import type { PublishedKey } from './published-key.ts';
import { isTokenError, reasonOf } from './token-error.ts';

const REMEMBERED = 10_000;
const REMEMBERED_US = 5 * MINUTE_US;
const AHEAD_S = 60;
const SUBJECT_LENGTH = 1_024;

/** An ID token whose signature and times are right. */
export interface VerifiedIdToken {
  readonly token: IdToken;
  readonly workload: Workload;
  readonly expiresAt: string;
  readonly key: PublishedKey;
}

/** Verifies the ID tokens of workloads with the keys that their issuers publish. */
export class IdTokens {
  readonly #clock: Clock;
  readonly #issuers: ReadonlyMap<string, IssuerKeys>;
  /** Verified tokens by their digest, so that a job's next request need not be verified again. */
  readonly #verified = new LRUCache<string, { readonly keyText: string; readonly at: Instant }>({ max: REMEMBERED });

  constructor(
    { workloadIssuers, firestoreEmulatorHost }: Pick<Config, 'workloadIssuers' | 'firestoreEmulatorHost'>,
    clock: Clock,
    log: Log,
  ) {
    this.#clock = clock;
    const isLocal = firestoreEmulatorHost !== undefined;
    const keysOf = (issuer: string) =>
      new IssuerKeys(async () => {
        try {
          return await fetchKeys(issuer, isLocal);
        } catch (error) {
          log.write('reading the keys of a workload issuer failed', { issuer }, error);
          throw error;
        }
      }, clock);
    this.#issuers = new Map(workloadIssuers.map(({ issuer }) => [issuer, keysOf(issuer)]));
  }

  /**
   * Verifies the signature, then the times. `digest` identifies the token in this process. Throws `unauthorized`, or
   * `unavailable` if the issuer's keys cannot be read.
   */
  async verify(token: IdToken, digest: string): Promise<VerifiedIdToken> {
    const key = await this.#issuers.get(token.issuer.issuer)?.find(token.kid, token.alg);
    if (key === undefined) throw unauthorized(undefined, 'the issuer has no key with this kid');
    if (!this.#isRemembered(digest, key)) await verifySignature(token, key);
    const expiresAt = this.#checkTimes(token);
    return { token, workload: workloadOf(token), expiresAt, key };
  }

  /** Remembers a token. Call it only after a federation matched, so that strangers cannot fill the memory. */
  remember(digest: string, { key }: VerifiedIdToken): void {
    if (!this.#isRemembered(digest, key)) this.#verified.set(digest, { keyText: key.text, at: this.#clock.now() });
  }

  #isRemembered(digest: string, key: PublishedKey): boolean {
    const verified = this.#verified.get(digest);
    if (verified === undefined || verified.keyText !== key.text) return false;
    const age = this.#clock.now() - verified.at;
    return age >= 0 && age < REMEMBERED_US;
  }

  /** Returns when the token expires. */
  #checkTimes({ claims, issuer }: IdToken): string {
    const nowS = this.#clock.now() / SECOND_US;
    const [exp, iat, nbf] = [claims.get('exp'), claims.get('iat'), claims.has('nbf') ? claims.get('nbf') : 0];
    if (typeof exp !== 'number' || typeof iat !== 'number' || typeof nbf !== 'number')
      throw unauthorized(undefined, 'the claim exp, iat or nbf of the ID token is missing or malformed');
    if (exp <= nowS) throw unauthorized(undefined, 'the ID token has expired');
    if (exp - iat > issuer.maxLifetimeS) throw unauthorized(undefined, 'the ID token lives too long');
    if (iat > nowS + AHEAD_S || nbf > nowS + AHEAD_S) throw unauthorized(undefined, 'the ID token is not valid yet');
    return viewInstant(makeInstant(Math.floor(exp * SECOND_US)));
  }
}

async function verifySignature({ text, alg }: IdToken, { jwk }: PublishedKey): Promise<void> {
  try {
    await compactVerify(text, jwk, { algorithms: [alg] });
  } catch (error) {
    throw unauthorized(error, isTokenError(error) ? reasonOf(error) : 'the key of the issuer is malformed');
  }
}

function workloadOf({ issuer: { issuer }, claims }: IdToken): Workload {
  const subject = claims.get('sub');
  return { issuer, subject: typeof subject === 'string' ? [...subject].slice(0, SUBJECT_LENGTH).join('') : null };
}
