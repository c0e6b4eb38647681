import { expect, test, vi } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { DeadlineExceeded } from '../../../shared/base/deadline.ts';
import { idSchema, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { monthSchema } from '../../../shared/base/month.ts';
import {
  type LinesId,
  STATEMENT_LINES,
  STATEMENTS,
  type StatementLine,
  StatementSums,
  statementId,
} from '../../../shared/billing/statement.ts';
import { readLines, storeStatement } from '../../../shared/billing/statements.ts';
import { Store } from '../../../shared/store/store.ts';
import { aKey } from '../../shared/keys/a-key.ts';
import { amountsOf, closeMonth, invoicesOf, statementOf } from '../../support/billing.ts';
import { apiOf, withStore } from '../../support/firestore.ts';
import { ownStack } from '../../support/own-stack.ts';
import { setClock } from '../../support/steer.ts';
import { storeKeys, type UsedKey } from '../../support/stored.ts';
import { makeTenant, signIn } from '../../support/tenant.ts';

const stack = ownStack();
const OCTOBER = monthSchema.parse('2026-10');

/** Monthly fee in cents, included operations, and price of a further operation in thousandths of a cent. */
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

/** Returns keys that exist all October, with their lines. Every fifth has as many extra operations as its index. */
function keysOfOctober(tenantId: TenantId, count: number) {
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
  const created_at = makeInstant(SEPTEMBER - DAY_US);
  const deletions = [{ requested_at: at, restored_at: null }];
  const times = { created_at, delete_requested_at: at, destroy_after: at, destroyed_at: at, deletions };
  const tier = 'wrapped';
  return { key: aKey({ tenant_id: tenantId, name: `gone ${days}`, tier, state: 'destroyed', ...times }), ops: 0 };
}

test('a month with 10,000 paid keys, the most of a tenant, is closed and invoiced exactly once, and the statement has a line for each key', async () => {
  await setClock(stack, '2026-10-10T12:00:00Z');
  const tenant = await makeTenant(stack);
  const id = idSchema<TenantId>().parse(tenant.id);
  const keys = keysOfOctober(id, 10_000);
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

test('if three different statements for one month are stored concurrently, only the first is kept, with all its lines', () =>
  withStore(stack, async (db) => {
    const store = new Store(apiOf(stack));
    const tenant_id = makeId<TenantId>();
    const computeStatement = (count: number) => {
      const sums = new StatementSums(tenant_id, OCTOBER);
      const lines = keysOfOctober(tenant_id, count).flatMap((usage) => sums.lineOf(usage));
      return { lines, totals: sums.totals() };
    };
    const lines_id = makeId<LinesId>();
    const incomplete = { tenant_id, lines_id, lines: [...computeStatement(500).lines] };
    await store.write((writes) => writes.create(STATEMENT_LINES, `${lines_id}_000000`, incomplete));

    const computed = [computeStatement(1_200), computeStatement(1_201), computeStatement(1_202)];
    const results = await Promise.all(
      computed.map(({ lines, totals }) =>
        storeStatement(store, tenant_id, { period: OCTOBER, lines: inPages(lines), totals: () => totals }),
      ),
    );
    const stored = await store.find(STATEMENTS, statementId(tenant_id, OCTOBER));
    if (stored === undefined) throw new Error('nothing is stored');
    const lines = (await Array.fromAsync(readLines(store, stored))).flat();
    const [first] = computed.filter(({ totals }) => totals.total_cents === stored.total_cents);
    expect(lines).toEqual(first?.lines);
    expect(results.map(({ total_cents }) => total_cents)).toEqual(Array(3).fill(first?.totals.total_cents));
    const chunks = await db.collection('statementLines').where('tenant_id', '==', tenant_id).select('lines_id').get();
    const owners = chunks.docs.map((chunk) => chunk.get('lines_id'));
    expect(owners.toSorted()).toEqual([lines_id, ...Array(3).fill(stored.lines_id)].toSorted());
  }));

test('a statement that Firestore stores after the deadline has all its lines', () =>
  withStore(stack, async () => {
    const store = new Store(apiOf(stack));
    const tenant_id = makeId<TenantId>();
    const sums = new StatementSums(tenant_id, OCTOBER);
    const lines = keysOfOctober(tenant_id, 1_200).flatMap((usage) => sums.lineOf(usage));
    const write = store.write.bind(store);
    let late: Parameters<typeof write>[0] | undefined;
    const writes = vi.spyOn(store, 'write').mockImplementation(async (fill) => {
      if (writes.mock.calls.length !== 3) return write(fill);
      late = fill;
      throw new DeadlineExceeded('no answer');
    });
    const storing = storeStatement(store, tenant_id, {
      period: OCTOBER,
      lines: inPages(lines),
      totals: () => sums.totals(),
    });
    await expect(storing).rejects.toThrow(DeadlineExceeded);
    if (late === undefined) throw new Error('there was no third write');
    await write(late);
    const stored = await store.find(STATEMENTS, statementId(tenant_id, OCTOBER));
    if (stored === undefined) throw new Error('nothing is stored');
    expect((await Array.fromAsync(readLines(store, stored))).flat()).toEqual(lines);
  }));

async function* inPages(lines: readonly StatementLine[]) {
  for (let start = 0; start < lines.length; start += 300) yield lines.slice(start, start + 300);
}
