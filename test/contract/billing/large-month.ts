import { expect, test } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { idSchema, type TenantId } from '../../../shared/base/ids.ts';
import { aKey } from '../../shared/keys/a-key.ts';
import { amountsOf, closeMonth, invoicesOf, statementOf } from '../../support/billing.ts';
import type { Addresses } from '../../support/client.ts';
import { setClock } from '../../support/steer.ts';
import { storeKeys, type UsedKey } from '../../support/stored.ts';
import { makeTenant, signIn } from '../../support/tenant.ts';

/**
 * The paid tiers: monthly fee in cents, included operations, and price of a further operation in thousandths of a cent.
 */
const TIERS = [
  { tier: 'wrapped', fee: 300, included: 50_000, price: 1 },
  { tier: 'software', fee: 1000, included: 100_000, price: 2 },
  { tier: 'hsm', fee: 3500, included: 250_000, price: 5 },
] as const;
const EMOJI = [...'🔐🔑🧭🛟🔒🔓🧿🧰🧲🧪'];
const SEPTEMBER = Date.UTC(2026, 8, 1) * 1000;

/** Returns a name of the maximum length, 128 emoji, that is different for each number. */
function longName(number: number): string {
  return [...String(number).padStart(128, '0')].map((digit) => EMOJI[Number(digit)]).join('');
}

/**
 * Returns `count` keys of the paid tiers that exist for the whole of October, each with its expected statement line.
 * Every fifth key has more operations than its fee includes; the number of additional operations is the key's index.
 * The other keys are unused.
 */
export function keysOfOctober(tenantId: TenantId, count: number) {
  return Array.from({ length: count }, (_, n) => {
    const { tier, fee, included, price } = TIERS[n % 3] ?? TIERS[0];
    const past = n % 5 === 0 ? n : 0;
    const name = longName(n);
    const key = aKey({ tenant_id: tenantId, name, tier, created_at: makeInstant(SEPTEMBER + n) });
    const ops = past === 0 ? 0 : included + past;
    return { key, ops, line: [name, String(fee), past * price], milliCents: fee * 1000 + past * price };
  });
}

/** Returns a paid key that was destroyed `days` days after the beginning of October, or before it if negative. */
function destroyedKey(tenantId: TenantId, days: number): UsedKey {
  const at = makeInstant(SEPTEMBER + (30 + days) * DAY_US);
  const times = {
    created_at: makeInstant(SEPTEMBER - DAY_US),
    delete_requested_at: at,
    destroy_after: at,
    destroyed_at: at,
  };
  const deletions = [{ requested_at: at, restored_at: null }];
  const key = aKey({
    tenant_id: tenantId,
    name: `gone ${days}`,
    tier: 'wrapped',
    state: 'destroyed',
    deletions,
    ...times,
  });
  return { key, ops: 0 };
}

/** Defines a test that closes a month with `count` paid keys. */
export function testLargeMonth(stack: Addresses, count: number): void {
  test(`a month with ${count} paid keys is closed and invoiced exactly once, and the statement has a line for each key`, async () => {
    await setClock(stack, '2026-10-10T12:00:00Z');
    const tenant = await makeTenant(stack);
    const id = idSchema<TenantId>().parse(tenant.id);
    const keys = keysOfOctober(id, count);
    await storeKeys(stack, [...keys, destroyedKey(id, 9), destroyedKey(id, -9)], '2026-10');
    const tenDays = (300_000 * 10) / 31;
    const total = Math.round(keys.reduce((sum, { milliCents }) => sum + milliCents, tenDays) / 1000);

    await setClock(stack, '2026-11-01T00:20:00Z');
    expect(await closeMonth(stack)).toEqual({ closed: 1, failed: 0 });
    const invoices = await invoicesOf(stack, tenant.id);
    expect(invoices.map((invoice) => [invoice.period, invoice.status, amountsOf(invoice).total])).toEqual([
      ['2026-10', 'paid', total],
    ]);
    const { lines, total_cents } = await statementOf(await signIn(stack, tenant.subject), '2026-10');
    const read = lines.map((line) => [line.key_name, line.fee_cents, Math.round(Number(line.overage_cents) * 1000)]);
    expect(read).toEqual([['gone 9', '96.77419', 0], ...keys.map(({ line }) => line)]);
    expect(total_cents).toBe(String(total));
  });
}
