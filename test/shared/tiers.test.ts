import { expect, test } from 'vitest';
import { TIER, TIERS, tierSchema } from '../../shared/tiers.ts';

/** The specified tiers. */
const TABLE = [
  ['free', 1, 10_000, 'refused past the cap', 'no price', 0, 0, 'data key', 'SOFTWARE'],
  ['wrapped', 1, 50_000, 'overage past the cap', 'paid', 300, 1, 'data key', 'SOFTWARE'],
  ['software', 3, 100_000, 'overage past the cap', 'paid', 1_000, 2, 'CryptoKey', 'SOFTWARE'],
  ['hsm', 2, 250_000, 'overage past the cap', 'paid', 3_500, 5, 'CryptoKey', 'HSM'],
] as const;

test('the tiers are the specified tiers, in the specified order', () => {
  expect(TIERS).toEqual(TABLE.map(([tier]) => tier));
  expect(Object.keys(TIER)).toEqual(TABLE.map(([tier]) => tier));
});

test.each(TABLE)(
  'the tier %s retains %i versions, includes %i operations a month, and has the specified prices and protection',
  (tier, retainedVersions, monthlyOps, pastTheCap, price, feeCents, overageMilliCents, backend, protection) => {
    expect(TIER[tier]).toEqual({
      retainedVersions,
      monthlyOps,
      hardCap: pastTheCap === 'refused past the cap',
      paid: price === 'paid',
      feeCents,
      overageMilliCents,
      sharesRoot: backend === 'data key',
      protection,
    });
  },
);

test.each(['Free', 'FREE', 'free ', '', 'gold', 'SOFTWARE', 'toString', '__proto__'])('"%s" is not a tier', (text) => {
  expect(tierSchema.safeParse(text).success).toBe(false);
});
