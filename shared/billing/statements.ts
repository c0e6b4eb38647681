import { type KeyId, makeId, type TenantId } from '../base/ids.ts';
import { type Month, monthOf, monthStart } from '../base/month.ts';
import { KEYS_DESTROYED, KEYS_OF_TENANT, type Key, LIVE_STATES } from '../keys/key.ts';
import { COUNTS_OF_TENANT, COUNTS_PER_PAGE } from '../metering/counter.ts';
import { ageOf, type KeyAge, oldestFirst, readAges, sumOps, usedBesides } from '../metering/month-keys.ts';
import { isAlreadyExists, isUnanswered } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { PAID_TIERS, TIER } from '../tiers.ts';
import {
  LINES_OF_STATEMENT,
  type LinesId,
  STATEMENT_LINES,
  STATEMENTS,
  type Statement,
  type StatementLine,
  StatementSums,
  type StoredStatement,
  statementId,
  type Totals,
} from './statement.ts';

/** A line has up to 800 bytes, so a chunk fills less than half of a document. */
const LINES_PER_CHUNK = 500;

/** Eight chunks have a few MiB, which fit in one response. */
const CHUNKS_PER_PAGE = 8;

/** Returns the stored statement of a closed month, or computes the statement of an open month. */
export async function readStatement(store: Store, tenantId: TenantId, month: Month): Promise<Statement> {
  const closed = await store.find(STATEMENTS, statementId(tenantId, month));
  if (closed === undefined) return computeStatement(store, tenantId, month);
  return { period: month, lines: readLines(store, closed), totals: () => closed };
}

export function computeStatement(store: Store, tenantId: TenantId, month: Month): Statement {
  const sums = new StatementSums(tenantId, month);
  return { period: month, lines: computeLines(store, tenantId, month, sums), totals: () => sums.totals() };
}

async function* computeLines(
  store: Store,
  tenantId: TenantId,
  month: Month,
  sums: StatementSums,
): AsyncGenerator<StatementLine[]> {
  const isPaid = ({ tier }: Key) => TIER[tier].paid;
  const existing: KeyAge[] = [];
  for await (const key of paidKeys(store, tenantId, month)) existing.push(ageOf(key));
  const ops = await sumOps(store.pages(COUNTS_OF_TENANT, { equal: [tenantId, month] }, COUNTS_PER_PAGE));
  const ages = [...existing, ...(await readAges(store, usedBesides(existing, ops), isPaid))];
  for await (const page of oldestFirst(store, ages, ops)) yield page.flatMap((usage) => sums.lineOf(usage));
}

/** Yields the paid keys that are live or existed in the month, each once. */
async function* paidKeys(store: Store, tenantId: TenantId, month: Month): AsyncGenerator<Key> {
  const seen = new Set<KeyId>();
  // With billing, a tenant has at most one free key, so it is cheaper to drop that key than to query by tier.
  for await (const live of store.pages(KEYS_OF_TENANT, { equal: [tenantId], anyOf: LIVE_STATES })) {
    for (const key of live.filter(({ tier }) => TIER[tier].paid)) {
      seen.add(key.id);
      yield key;
    }
  }
  const destroyed = { equal: [tenantId], anyOf: PAID_TIERS, since: monthStart(month) };
  for await (const gone of store.pages(KEYS_DESTROYED, destroyed)) {
    // A key that was destroyed after it was read as a live key is not yielded again.
    yield* gone.filter(({ id, created_at }) => !seen.has(id) && monthOf(created_at) <= month);
  }
}

/**
 * Stores the lines. The commit of the last lines also creates the statement. If another process has already created
 * the statement, removes the lines of this process. Returns the totals of the stored statement.
 */
export async function storeStatement(store: Store, tenantId: TenantId, statement: Statement): Promise<Totals> {
  const lines_id = makeId<LinesId>();
  const id = statementId(tenantId, statement.period);
  const early: string[] = [];
  let last: StatementLine[] = [];
  try {
    for await (const lines of statement.lines) {
      last.push(...lines);
      while (last.length > LINES_PER_CHUNK) {
        const chunk = { tenant_id: tenantId, lines_id, lines: last.slice(0, LINES_PER_CHUNK) };
        const chunk_id = chunkId(lines_id, early.length);
        await store.write((writes) => writes.create(STATEMENT_LINES, chunk_id, chunk));
        early.push(chunk_id);
        last = last.slice(LINES_PER_CHUNK);
      }
    }
    const totals = statement.totals();
    const chunks = early.length + Math.sign(last.length);
    await store.write((writes) => {
      const chunk = { tenant_id: tenantId, lines_id, lines: last };
      if (last.length > 0) writes.create(STATEMENT_LINES, chunkId(lines_id, early.length), chunk);
      writes.claim(STATEMENTS, id, { ...totals, lines_id, chunks });
    });
    return totals;
  } catch (error) {
    // Unless this statement was stored, its lines are of no use. Without an answer, it may yet be stored.
    const first = await store.find(STATEMENTS, id);
    if (first?.lines_id !== lines_id && early.length > 0 && !isUnanswered(error)) {
      await store.write((writes) => {
        for (const own of early) writes.remove(STATEMENT_LINES, own);
      });
    }
    if (first === undefined || !isAlreadyExists(error)) throw error;
    return first;
  }
}

/** Yields the lines of a statement, oldest key first. Throws an `Error` when lines are missing. */
export async function* readLines(
  store: Store,
  { lines_id, chunks }: StoredStatement,
): AsyncGenerator<readonly StatementLine[]> {
  if (chunks === 0) return;
  let read = 0;
  for await (const page of store.pages(LINES_OF_STATEMENT, { equal: [lines_id] }, CHUNKS_PER_PAGE)) {
    read += page.length;
    for (const { lines } of page) yield lines;
  }
  if (read !== chunks) throw new Error(`found ${read} of ${chunks} chunks of statement lines`);
}

/** Returns the id of a chunk. The number is padded, because documents are sorted by id. */
function chunkId(linesId: LinesId, number: number): string {
  return `${linesId}_${String(number).padStart(6, '0')}`;
}
