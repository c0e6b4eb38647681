import { z } from 'zod';

/** The four tiers. */
export const TIERS = ['free', 'wrapped', 'software', 'hsm'] as const;
export type Tier = (typeof TIERS)[number];

export const tierSchema = z.enum(TIERS);

/** The KMS's protection levels that tiers name. */
export type ProtectionLevel = 'SOFTWARE' | 'HSM';

interface TierRow {
  /** How many versions stay enabled after a rotation. */
  readonly retainedVersions: number;
  /** Included operations in a whole month. */
  readonly monthlyOps: number;
  /** Whether the included operations are all there are. */
  readonly hardCap: boolean;
  /** Whether the key costs money where billing is configured. */
  readonly paid: boolean;
  /** The price of a whole month, in cents. */
  readonly feeCents: number;
  /** The price of an operation past the included ones, in thousandths of a cent. */
  readonly overageMilliCents: number;
  /** The protection level of a key that is a CryptoKey. */
  readonly protection: ProtectionLevel;
  /** Whether a data key under the shared root holds the key where a root is configured. */
  readonly sharesRoot: boolean;
}

/** What a key's tier decides. */
export const TIER: Readonly<Record<Tier, TierRow>> = {
  free: {
    retainedVersions: 1,
    monthlyOps: 10_000,
    hardCap: true,
    paid: false,
    feeCents: 0,
    overageMilliCents: 0,
    protection: 'SOFTWARE',
    sharesRoot: true,
  },
  wrapped: {
    retainedVersions: 1,
    monthlyOps: 50_000,
    hardCap: false,
    paid: true,
    feeCents: 300,
    overageMilliCents: 1,
    protection: 'SOFTWARE',
    sharesRoot: true,
  },
  software: {
    retainedVersions: 3,
    monthlyOps: 100_000,
    hardCap: false,
    paid: true,
    feeCents: 1000,
    overageMilliCents: 2,
    protection: 'SOFTWARE',
    sharesRoot: false,
  },
  hsm: {
    retainedVersions: 2,
    monthlyOps: 250_000,
    hardCap: false,
    paid: true,
    feeCents: 3500,
    overageMilliCents: 5,
    protection: 'HSM',
    sharesRoot: false,
  },
};

/** The tiers that cost money where billing is configured. */
export const PAID_TIERS: readonly Tier[] = TIERS.filter((tier) => TIER[tier].paid);
