import { expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
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
import { apiOf } from '../../support/firestore.ts';
import { ownStack } from '../../support/own-stack.ts';
import { withStore } from '../../support/stored.ts';
import { keysOfOctober, testLargeMonth } from './large-month.ts';

const stack = ownStack();
const OCTOBER = monthSchema.parse('2026-10');

// One read from Firestore returns fewer than 1,200 keys, and one document holds fewer than 1,200 statement lines.
testLargeMonth(stack, 1_200);

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

async function* inPages(lines: readonly StatementLine[]) {
  for (let start = 0; start < lines.length; start += 300) yield lines.slice(start, start + 300);
}
