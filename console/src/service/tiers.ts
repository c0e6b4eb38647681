import type { Tier } from '../../../client/src/index.ts';

/** What a tier is, as the interface has it. */
export interface TierFacts {
  readonly retained: number;
  readonly included: number;
  readonly monthlyDollars: number;
}

export const TIERS: Readonly<Record<Tier, TierFacts>> = {
  free: { retained: 1, included: 10_000, monthlyDollars: 0 },
  wrapped: { retained: 1, included: 50_000, monthlyDollars: 3 },
  software: { retained: 3, included: 100_000, monthlyDollars: 10 },
  hsm: { retained: 2, included: 250_000, monthlyDollars: 35 },
};

/** Whether a rotation makes all older ciphertext unreadable at once. */
export const losesAllOnRotation = (tier: Tier): boolean => TIERS[tier].retained === 1;
