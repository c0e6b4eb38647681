import { z } from 'zod';

export const TIERS = ['free', 'wrapped', 'software', 'hsm'] as const;
export type Tier = (typeof TIERS)[number];

export const tierSchema = z.enum(TIERS);

export type ProtectionLevel = 'SOFTWARE' | 'HSM';

interface TierRow {
  /** The maximum number of enabled versions after a rotation. */
  readonly retainedVersions: number;
  readonly monthlyOps: number;
  /** Whether operations above `monthlyOps` are refused. Otherwise they are billed. */
  readonly hardCap: boolean;
  readonly paid: boolean;
  readonly feeCents: number;
  /** The price per operation above the allowance, in thousandths of a cent. */
  readonly overageMilliCents: number;
  readonly protection: ProtectionLevel;
  /** Whether the shared root wraps the data keys, if a deployment has a root. */
  readonly sharesRoot: boolean;
}

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

export const PAID_TIERS: readonly Tier[] = TIERS.filter((tier) => TIER[tier].paid);
