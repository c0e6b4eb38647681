import { readCases } from '../support/cases.ts';
import { isSilence, type Kind, type Part } from './proxied-service.ts';

/**
 * A call of a route. Calls of the same route can need different dependencies if their credentials or keys differ.
 */
export interface Case {
  /** The method and the path, with `{id}` in place of an id. */
  readonly call: string;
  /** Who makes the call. */
  readonly by: 'api_key' | 'console' | 'nobody' | 'stripe';
  /** The tier of the key in the call. */
  readonly tier?: 'wrapped' | 'software';
  /** The answer without a fault. */
  readonly good: string;
  /** The dependencies that the call needs. */
  readonly dependencies: readonly Part[];
}

/**
 * For each dependency, the answer to calls that need the dependency during its fault. If Firestore or the KMS fails,
 * the answer is an internal error.
 */
const REFUSAL: Readonly<Record<Part, string>> = {
  kms: '500 internal_error',
  firestore: '500 internal_error',
  pdp: '503 unavailable',
  idp: '503 unavailable',
  stripe: '503 unavailable',
};

/**
 * Returns the answers that are allowed during a fault. With the fault `failing`, one call in five fails, so a request
 * may succeed or fail. So it may while open connections are silent: the service replaces them before some deadlines.
 */
export function allowed({ call, good, dependencies }: Case, part: Part, kind: Kind): readonly string[] {
  if (!dependencies.includes(part)) return [good];
  const refusal = call === 'GET /health/ready' ? '503' : REFUSAL[part];
  if (isSilence(kind)) return [good, refusal];
  if (kind !== 'failing') return [refusal];
  // An error in the payment provider's answer counts as an internal error, not as an outage.
  return part === 'stripe' ? [good, refusal, '500 internal_error'] : [good, refusal];
}

/** A webhook that Stripe has signed. Its case file is about requests that are not signed. */
const webhook: Case = {
  call: 'POST /v1/webhooks/stripe',
  by: 'stripe',
  good: '200',
  dependencies: ['firestore', 'stripe'],
};

/** The calls of every operation. A key's material is in the KMS if its tier is `software`. */
const ofCases = (await readCases()).flatMap(
  ({ call, credential, good, ofMember = good, dependencies, usesMaterial }): Case[] => {
    const common = { call, good: ofMember, dependencies };
    if (credential === 'none') return call === webhook.call ? [] : [{ ...common, by: 'nobody' }];
    const byApiKey = { ...common, by: 'api_key' } as const;
    const byUser = { ...common, by: 'console', dependencies: [...dependencies, 'idp'] } as const;
    const software = <One extends Case>(one: One) => ({
      ...one,
      tier: 'software' as const,
      dependencies: [...one.dependencies, ...(usesMaterial ? (['kms'] as const) : [])],
    });
    if (credential === 'api_key')
      return [{ ...byApiKey, tier: 'wrapped' }, ...(usesMaterial ? [software(byApiKey)] : [])];
    return [
      ...(credential === 'either' ? [software(byApiKey)] : []),
      { ...byUser, tier: 'wrapped' },
      ...(usesMaterial ? [software(byUser)] : []),
    ];
  },
);

/** The calls of every route of the service. A route has several calls if a fault can affect them differently. */
export const CASES: readonly Case[] = [webhook, ...ofCases];
