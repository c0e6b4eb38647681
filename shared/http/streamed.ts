import type { InTurn } from './report-turns.ts';
import type { Reply } from './route.ts';

/** The longest text that is built before the response begins. Up to this length, an error while reading is a 500. */
const BEGINNING = 4_000_000;

/** The number of lines in a piece, at most. */
const LINES_PER_PIECE = 500;

/** An answer that is read while it is sent, because it may not fit into memory. */
export class Streamed<Answer> {
  declare readonly answer: Answer;
  /** The JSON text in pieces. */
  readonly pieces: AsyncGenerator<string>;

  constructor(pieces: AsyncGenerator<string>) {
    this.pieces = pieces;
  }
}

/** Streams a list, with each item as `view` shows it. */
export function streamList<Item, Line>(
  pages: AsyncIterable<readonly Item[]>,
  view: (item: Item) => Line,
): Streamed<Line[]> {
  return new Streamed(renderList(pages, view));
}

/** Streams an object that has these members, then the list `lines`, then the members that are known at the end. */
export function streamLines<Before extends object, Line, After extends object>(parts: {
  readonly before: Before;
  readonly lines: AsyncIterable<readonly Line[]>;
  readonly after: () => After;
}): Streamed<Before & { lines: Line[] } & After> {
  return new Streamed(renderObject(parts));
}

/** Reads the beginning of a reply in pieces. If it is the whole reply, the result is an ordinary reply. */
export async function begin(reply: Partial<Reply>, inTurn: InTurn): Promise<Partial<Reply>> {
  const { pieces, ...rest } = reply;
  if (pieces === undefined) return reply;
  let json = '';
  while (json.length < BEGINNING) {
    const { done, value } = await pieces.next();
    if (done) return { ...rest, json };
    json += value;
  }
  return { ...rest, pieces: proceed(json, pieces, inTurn) };
}

async function* proceed(beginning: string, pieces: AsyncGenerator<string>, inTurn: InTurn): AsyncGenerator<string> {
  try {
    yield beginning;
    for (;;) {
      const { done, value } = await inTurn(() => pieces.next());
      if (done) return;
      yield value;
    }
  } finally {
    await pieces.return(undefined);
  }
}

async function* renderList<Item>(
  pages: AsyncIterable<readonly Item[]>,
  view: (item: Item) => unknown,
): AsyncGenerator<string> {
  let lead = '[';
  for await (const page of pages) {
    // An empty piece gives other tenants a turn.
    if (page.length === 0) yield '';
    for (let start = 0; start < page.length; start += LINES_PER_PIECE) {
      const lines = page.slice(start, start + LINES_PER_PIECE).map((item) => JSON.stringify(view(item)));
      yield lead + lines.join(',');
      lead = ',';
    }
  }
  yield lead === '[' ? '[]' : ']';
}

async function* renderObject({
  before,
  lines,
  after,
}: {
  readonly before: object;
  readonly lines: AsyncIterable<readonly unknown[]>;
  readonly after: () => object;
}): AsyncGenerator<string> {
  yield `${JSON.stringify(before).slice(0, -1)},"lines":`;
  yield* renderList(lines, (line) => line);
  yield `,${JSON.stringify(after()).slice(1)}`;
}
