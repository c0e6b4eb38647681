import { LRUCache } from 'lru-cache';
import type { KeyId } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import type { Action } from '../operations.ts';
import type { PresentedCredential } from './identify.ts';
import type { Facts, Policy } from './policy.ts';

/** Some eight hundred bytes each. */
const KEPT = 10_000;

/**
 * Asks the policy side by side with the reads that a decision is about, with what they gave at the last request. That is a
 * guess alone: unless they give the same again, the decision is not used and another is asked for.
 */
export class EarlyDecisions {
  readonly #policy: Policy;
  /** What the policy was told at the last request of an API key about a key. */
  readonly #lastSeen = new LRUCache<string, Facts>({ max: KEPT });

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** The policy for one request, whose decision is asked for now where there is a guess what it is about. */
  begin(credential: PresentedCredential, keyId: KeyId | undefined, action: Action): Pick<Policy, 'allows'> {
    if (credential.kind !== 'api_key' || keyId === undefined) return this.#policy;
    // Of the secret, too, and only kept for one that was proved: nobody else can have the policy asked.
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
