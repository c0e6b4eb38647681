import { type KeyId, makeId, type TenantId } from '../base/ids.ts';
import { type Month, monthStart } from '../base/month.ts';
import { KEYS_DESTROYED, KEYS_OF_TENANT, type Key, LIVE_STATES } from '../keys/key.ts';
import { COUNTS_OF_TENANT } from '../metering/counter.ts';
import { isAlreadyExists } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import { PAID_TIERS, TIER } from '../tiers.ts';
import {
  LINES_OF_STATEMENT,
  type LinesId,
  makeStatement,
  type PaidUsage,
  STATEMENT_LINES,
  STATEMENTS,
  type Statement,
  type StatementLine,
  type StoredStatement,
  statementId,
  type Totals,
} from './statement.ts';

/** A stored count has about 300 bytes. */
const COUNTS_PER_PAGE = 500;

/** A line has up to 800 bytes, so a chunk fills less than half of a document. */
const LINES_PER_CHUNK = 500;

/** Eight chunks have a few MiB, which fit in one response. */
const CHUNKS_PER_PAGE = 8;

/** Returns the stored statement of a closed month, or computes the statement of an open month. */
export async function readStatement(store: Store, tenantId: TenantId, month: Month): Promise<Statement> {
  const closed = await store.find(STATEMENTS, statementId(tenantId, month));
  if (closed === undefined) return computeStatement(store, tenantId, month);
  return { ...closed, lines: await readLines(store, closed) };
}

/** Returns the statement of an open month. Holds all its lines in memory. */
export async function computeStatement(store: Store, tenantId: TenantId, month: Month): Promise<Statement> {
  const usage = new Map<KeyId, { -readonly [Field in keyof PaidUsage]: PaidUsage[Field] }>();
  for await (const key of paidKeys(store, tenantId, month)) {
    const { id, name, tier, created_at, deletions } = key;
    usage.set(id, { key: { id, name, tier, created_at, deletions }, ops: 0 });
  }
  const counted = store.pages(COUNTS_OF_TENANT, { equal: [tenantId, month] }, COUNTS_PER_PAGE);
  for await (const counts of counted) {
    for (const { key_id, ops } of counts) {
      const used = usage.get(key_id);
      if (used !== undefined) used.ops += ops;
    }
  }
  return makeStatement(tenantId, month, usage.values());
}

/** Yields a month's paid keys, live ones first: a key destroyed meanwhile may appear twice, but is never missed. */
async function* paidKeys(store: Store, tenantId: TenantId, month: Month): AsyncGenerator<Key> {
  // With billing, a tenant has at most one free key, so it is cheaper to drop that key than to query by tier.
  for await (const live of store.pages(KEYS_OF_TENANT, { equal: [tenantId], anyOf: LIVE_STATES })) {
    yield* live.filter(({ tier }) => TIER[tier].paid);
  }
  const destroyed = { equal: [tenantId], anyOf: PAID_TIERS, since: monthStart(month) };
  for await (const gone of store.pages(KEYS_DESTROYED, destroyed)) yield* gone;
}

/**
 * Stores the lines. The commit of the last lines also creates the statement. If another process has already created
 * the statement, removes the lines of this process. Returns the stored statement.
 */
export async function storeStatement(store: Store, { lines, ...totals }: Statement): Promise<Totals> {
  const { tenant_id, period } = totals;
  const lines_id = makeId<LinesId>();
  const chunks = chunked(lines).map((some, number) => ({
    id: chunkId(lines_id, number),
    doc: { tenant_id, lines_id, lines: some },
  }));
  const early = chunks.slice(0, -1);
  for (const { id, doc } of early) await store.write((writes) => writes.create(STATEMENT_LINES, id, doc));
  const id = statementId(tenant_id, period);
  try {
    await store.write((writes) => {
      for (const last of chunks.slice(-1)) writes.create(STATEMENT_LINES, last.id, last.doc);
      writes.claim(STATEMENTS, id, { ...totals, lines_id, chunks: chunks.length });
    });
    return totals;
  } catch (error) {
    const first = isAlreadyExists(error) ? await store.find(STATEMENTS, id) : undefined;
    if (first === undefined) throw error;
    if (first.lines_id !== lines_id && early.length > 0) {
      await store.write((writes) => {
        for (const own of early) writes.remove(STATEMENT_LINES, own.id);
      });
    }
    return first;
  }
}

/** Returns the lines of a statement, oldest key first. Throws an `Error` when lines are missing. */
export async function readLines(store: Store, { lines_id, chunks }: StoredStatement): Promise<StatementLine[]> {
  if (chunks === 0) return [];
  const lines: StatementLine[] = [];
  let read = 0;
  for await (const page of store.pages(LINES_OF_STATEMENT, { equal: [lines_id] }, CHUNKS_PER_PAGE)) {
    read += page.length;
    for (const chunk of page) lines.push(...chunk.lines);
  }
  if (read !== chunks) throw new Error(`found ${read} of ${chunks} chunks of statement lines`);
  return lines;
}

function chunked(lines: readonly StatementLine[]): StatementLine[][] {
  const starts = Array.from({ length: Math.ceil(lines.length / LINES_PER_CHUNK) }, (_, n) => n * LINES_PER_CHUNK);
  return starts.map((start) => lines.slice(start, start + LINES_PER_CHUNK));
}

/** Returns the id of a chunk. The number is padded, because documents are sorted by id. */
function chunkId(linesId: LinesId, number: number): string {
  return `${linesId}_${String(number).padStart(6, '0')}`;
}
