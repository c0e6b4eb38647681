import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KeyId } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import type { Action } from '../operations.ts';
import type { Token } from '../tenancy/token.ts';
import type { Claim } from './identify.ts';
import { type Facts, factsText, type Policy } from './policy.ts';

/** Some eight hundred bytes each. */
const KEPT = 10_000;

/** What the policy was told at the last request, and the same as text. */
interface Seen {
  readonly facts: Facts;
  readonly text: string;
}

/**
 * Asks the policy side by side with the reads that a decision is about, with what they gave at the last request. That is a
 * guess alone: unless they give the same again, the decision is not used and another is asked for.
 */
export class EarlyDecisions {
  readonly #policy: Policy;
  readonly #lastSeen = new LRUCache<string, Seen>({ max: KEPT });
  readonly #random = randomBytes(32).toString('base64');

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  /** The policy for one request, whose decision is asked for now where there is a guess what it is about. */
  begin(claim: Claim, keyId: KeyId | undefined, action: Action): Pick<Policy, 'allows'> {
    if (claim.kind !== 'api_key' || keyId === undefined) return this.#policy;
    const name = this.#nameOf(claim.token, keyId);
    const last = this.#lastSeen.get(name);
    const early = last && prefetch(this.#policy.allows(last.facts.caller, action, last.facts.resource));
    return {
      allows: (caller, _action, resource) => {
        const facts = { caller, resource };
        const text = factsText(facts);
        if (early !== undefined && text === last?.text) return early;
        this.#lastSeen.set(name, { facts, text });
        return this.#policy.allows(caller, action, resource);
      },
    };
  }

  /** Made of the secret, too, and only kept for one that was proved: nobody else can have the policy asked. */
  #nameOf({ apiKeyId, secret }: Token, keyId: KeyId): string {
    return hash('sha512-256', `${this.#random} ${apiKeyId} ${secret} ${keyId}`, 'base64');
  }
}
