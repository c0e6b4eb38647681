import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { StatementSums } from '../../../shared/billing/statement.ts';
import type { Life } from '../../../shared/metering/allowance.ts';
import type { KeyUsage } from '../../../shared/metering/month-keys.ts';
import type { Tier } from '../../../shared/tiers.ts';
import { aKey } from '../keys/a-key.ts';
import { life, month } from './a-life.ts';

function used(tier: Tier, of: Life, ops = 0, name = 'orders'): KeyUsage {
  return { key: aKey({ name, tier, created_at: of.created_at, deletions: [...of.deletions] }), ops };
}

function statementOf(text: string, ...usage: readonly KeyUsage[]) {
  const sums = new StatementSums(makeId<TenantId>(), month(text));
  const lines = usage.flatMap((one) => sums.lineOf(one));
  return { lines, ...sums.totals() };
}

const ALL_MONTH = life('2026-01-15');
const TEN_OF_OCTOBER = life('2026-10-22');

test('a statement has the documented fields', () => {
  const usage = used('wrapped', TEN_OF_OCTOBER, 16_130);
  expect(statementOf('2026-10', usage)).toMatchObject({
    lines: [
      {
        key_id: usage.key.id,
        key_name: 'orders',
        tier: 'wrapped',
        days: 10,
        days_in_month: 31,
        fee_cents: '96.77419',
        ops: 16_130,
        allowance: 16_129,
        overage_ops: 1,
        overage_cents: '0.001',
      },
    ],
    total_cents: 97,
  });
});

test('a statement before October 2026 has no day counts, and has a line with a fee of "0" for a key that owes nothing', () => {
  const { lines, total_cents } = statementOf('2026-09', used('hsm', life('2026-09-30'), 7));
  expect(lines).toMatchObject([{ days: null, days_in_month: null, fee_cents: '0', ops: 7, overage_cents: '0' }]);
  expect(total_cents).toBe(0);
});

test('a statement has a line for each paid key that existed in the month', () => {
  const { lines } = statementOf(
    '2026-11',
    used('hsm', life('2026-11-20'), 0, 'new'),
    used('software', ALL_MONTH, 0, 'old'),
    used('wrapped', life('2026-12-01'), 0, 'to come'),
    used('wrapped', life('2026-01-15', ['2026-10-30']), 0, 'gone'),
    used('wrapped', life('2026-11-10', ['2026-11-10']), 0, 'brief'),
  );
  expect(lines.map(({ key_name }) => key_name)).toEqual(['new', 'old', 'brief']);
});

test('a statement has a line for a key that was deleted last month if the key still performed an operation this month', () => {
  const { lines } = statementOf('2026-11', used('wrapped', life('2026-01-15', ['2026-10-31']), 2));
  const overage = { allowance: 0, overage_ops: 2, overage_cents: '0.002' };
  expect(lines).toMatchObject([{ days: 0, fee_cents: '0', ops: 2, ...overage }]);
});

test('a statement without paid keys is empty', () => {
  expect(statementOf('2026-11')).toMatchObject({ lines: [], total_cents: 0, parts: [] });
});

test('the total of a statement is the exact sum of the lines, rounded once', () => {
  const third = () => used('wrapped', TEN_OF_OCTOBER);
  const { lines, total_cents } = statementOf('2026-10', third(), third(), third());
  expect(lines.map(({ fee_cents }) => fee_cents)).toEqual(['96.77419', '96.77419', '96.77419']);
  expect(total_cents).toBe(290);
});

test.each([
  [50_499, '0.499', 300],
  [50_500, '0.5', 301],
  [50_501, '0.501', 301],
])(
  'the total is rounded half up: %i operations with %s cents of overage make a total of %i cents',
  (ops, overage_cents, total) => {
    const statement = statementOf('2026-11', used('wrapped', ALL_MONTH, ops));
    expect(statement).toMatchObject({ lines: [{ overage_cents }], total_cents: total });
  },
);

test('each tier’s part of the total is a whole, positive number of cents within a cent of the tier’s exact sum', () => {
  const anyKey = fc.tuple(
    fc.constantFrom('wrapped' as const, 'software' as const, 'hsm' as const),
    fc.integer({ min: 1, max: 31 }),
    fc.nat(400_000),
  );
  const PRICE = { wrapped: [300, 0.001], software: [1000, 0.002], hsm: [3500, 0.005] } as const;
  const CAP = { wrapped: 50_000, software: 100_000, hsm: 250_000 } as const;
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 12 }), (keys) => {
      const usage = keys.map(([tier, days, ops]) => {
        const from = String(32 - days).padStart(2, '0');
        return used(tier, life(`2026-10-${from}`), ops);
      });
      const { parts, total_cents } = statementOf('2026-10', ...usage);
      expect(parts.reduce((sum, { cents }) => sum + cents, 0)).toBe(total_cents);
      expect(new Set(parts.map(({ tier }) => tier)).size).toBe(parts.length);
      for (const tier of ['wrapped', 'software', 'hsm'] as const) {
        const [fee, perOp] = PRICE[tier];
        const own = keys
          .filter(([of]) => of === tier)
          .map(([, days, ops]) => (fee * days) / 31 + perOp * Math.max(0, ops - Math.floor((CAP[tier] * days) / 31)));
        const exact = own.reduce((sum, cents) => sum + cents, 0);
        const part = parts.find((candidate) => candidate.tier === tier)?.cents ?? 0;
        expect(Number.isSafeInteger(part)).toBe(true);
        expect(Math.abs(part - exact)).toBeLessThanOrEqual(1 + 1e-6);
      }
    }),
  );
});
