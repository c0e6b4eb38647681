import { describe, expect, test } from 'vitest';
import { makeId, type TenantId } from '../../../shared/base/ids.ts';
import { monthSchema } from '../../../shared/base/month.ts';
import {
  type LinesId,
  makeStatement,
  STATEMENT_LINES,
  STATEMENTS,
  statementId,
} from '../../../shared/billing/statement.ts';
import { readLines, storeStatement } from '../../../shared/billing/statements.ts';
import { Store } from '../../../shared/store/store.ts';
import { connectionOf } from '../../support/firestore.ts';
import { ownStack } from '../../support/own-stack.ts';
import { withStore } from '../../support/stored.ts';
import { holdLargeMonth, keysOfOctober } from './large-month.ts';

const stack = ownStack();
const OCTOBER = monthSchema.parse('2026-10');

// More than are read at a time, and more than a document holds lines.
holdLargeMonth(stack, 1_200);

describe('a statement that is stored by several at once, after one that was cut off', () => {
  test('is that of the first, whole, and the lines of no other stay', () =>
    withStore(stack, async (db) => {
      const store = new Store(connectionOf(stack));
      const tenant_id = makeId<TenantId>();
      const computeStatement = (count: number) => makeStatement(tenant_id, OCTOBER, keysOfOctober(tenant_id, count));
      const lines_id = makeId<LinesId>();
      const cutOff = { tenant_id, lines_id, lines: [...computeStatement(500).lines] };
      await store.write((writes) => writes.create(STATEMENT_LINES, `${lines_id}_000000`, cutOff));

      const drawn = [computeStatement(1_200), computeStatement(1_201), computeStatement(1_202)];
      const taken = await Promise.all(drawn.map((statement) => storeStatement(store, statement)));
      const stored = await store.find(STATEMENTS, statementId(tenant_id, OCTOBER));
      if (stored === undefined) throw new Error('nothing is stored');
      const lines = await readLines(store, stored);
      const [first] = drawn.filter((statement) => statement.total_cents === stored.total_cents);
      expect(lines).toEqual(first?.lines);
      expect(taken.map(({ total_cents }) => total_cents)).toEqual(Array(3).fill(first?.total_cents));
      const chunks = await db.collection('statementLines').where('tenant_id', '==', tenant_id).select('lines_id').get();
      const owners = chunks.docs.map((chunk) => chunk.get('lines_id'));
      expect(owners.toSorted()).toEqual([lines_id, ...Array(3).fill(stored.lines_id)].toSorted());
    }));
});
