import { makeId } from '../base/ids.ts';
import { isAlreadyExists, type Store } from '../store/store.ts';
import {
  LINES_OF_STATEMENT,
  type LinesId,
  STATEMENT_LINES,
  STATEMENTS,
  type Statement,
  type StatementLine,
  type StoredStatement,
  statementId,
  type Totals,
} from './statement.ts';

/** A line takes up to about 800 bytes, most of them the key's name: these are less than half of what a document takes. */
const LINES_PER_CHUNK = 500;

/** So many are a few MiB, which one answer may be. */
const CHUNKS_PER_PAGE = 8;

/**
 * Stores a closed month for good: first its lines, under an id of their own, then with the last of them the statement, which
 * can be created once. Returns what is stored: whoever comes second takes what is there, and removes their own lines.
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

/** The lines of a stored statement, oldest key first. Throws an `Error` when some are missing, which never are. */
export async function readLines(store: Store, { lines_id, chunks }: StoredStatement): Promise<StatementLine[]> {
  if (chunks === 0) return [];
  const lines: StatementLine[] = [];
  let read = 0;
  for await (const page of store.pages(LINES_OF_STATEMENT, { equal: [lines_id] }, CHUNKS_PER_PAGE)) {
    read += page.length;
    for (const chunk of page) lines.push(...chunk.lines);
  }
  if (read !== chunks) throw new Error(`of ${chunks} chunks of lines ${read} are there`);
  return lines;
}

function chunked(lines: readonly StatementLine[]): StatementLine[][] {
  const starts = Array.from({ length: Math.ceil(lines.length / LINES_PER_CHUNK) }, (_, n) => n * LINES_PER_CHUNK);
  return starts.map((start) => lines.slice(start, start + LINES_PER_CHUNK));
}

/** Documents come in the order of their ids, so the number has its zeros. */
function chunkId(linesId: LinesId, number: number): string {
  return `${linesId}_${String(number).padStart(6, '0')}`;
}
