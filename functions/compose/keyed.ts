import { EarlyDecisions } from '../../shared/auth/early-decisions.ts';
import { Policy } from '../../shared/auth/policy.ts';
import { StoredStanding } from '../../shared/billing/standing.ts';
import { DataKeys } from '../../shared/crypto/data-keys.ts';
import type { OperationNeeds } from '../../shared/http/specs.ts';
import type { CipherNeeds } from '../../shared/keys/seal.ts';
import { ALWAYS_GOOD, type Standing } from '../../shared/metering/standing.ts';
import type { Base } from './base.ts';
import { openKms } from './kms.ts';

/** What every function has besides whose routes are about keys and their material. */
export type Keyed = Base & OperationNeeds & CipherNeeds & { readonly standing: Standing };

/** Opens the KMS, the policy decision point, and what tells how a tenant stands. */
export function openKeyed(base: Base): Keyed {
  const { config, store, metrics } = base;
  const { wrappedRoot, billing, policyDecisionUrl } = config;
  const kms = openKms(config);
  const policy = new Policy(policyDecisionUrl);
  metrics.watch({ decisions: () => policy.waiting });
  return {
    ...base,
    kms,
    policy,
    earlyDecisions: new EarlyDecisions(policy),
    dataKeys: wrappedRoot === undefined ? undefined : new DataKeys(kms, wrappedRoot),
    standing: billing === undefined ? ALWAYS_GOOD : new StoredStanding(store),
  };
}
