import { LRUCache } from 'lru-cache';
import type { KeyId } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import type { Action } from '../operations.ts';
import type { PresentedCredential } from './identify.ts';
import type { Facts, Policy } from './policy.ts';

const KEPT = 10_000;

/**
 * Requests a policy decision before a request's facts are read, with the facts of the last request that had the same
 * API key and the same key. If the facts turn out to differ, requests another decision.
 */
export class EarlyDecisions {
  readonly #policy: Policy;
  readonly #lastSeen = new LRUCache<string, Facts>({ max: KEPT });

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** Returns the policy for one request. If an earlier request's facts are known, requests the decision at once. */
  begin(credential: PresentedCredential, keyId: KeyId | undefined, action: Action): Pick<Policy, 'allows'> {
    if (credential.kind !== 'api_key' || keyId === undefined) return this.#policy;
    // The name contains the secret's digest, so that only a holder of the API key can trigger an early decision.
    const name = `${credential.apiKeyId} ${credential.secret.digest} ${keyId}`;
    const last = this.#lastSeen.get(name);
    const early = last && prefetch(this.#policy.allows(last, action));
    return {
      allows: (facts) => {
        if (early !== undefined && last !== undefined && isSame(facts, last)) return early;
        this.#lastSeen.set(name, facts);
        return this.#policy.allows(facts, action);
      },
    };
  }
}

function isSame(one: Facts, other: Facts): boolean {
  return one.principalText === other.principalText && one.resourceText === other.resourceText;
}
