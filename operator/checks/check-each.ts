import { mapConcurrently } from '../../shared/base/map-concurrently.ts';

const LIMITS = { concurrency: 8, forMs: Number.POSITIVE_INFINITY };

/** Checks the items of a page concurrently. Reads the next page only after that, so that memory holds only one page. */
export async function checkEach<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  check: (item: Item) => Promise<void>,
): Promise<void> {
  for await (const page of pages) await mapConcurrently(page, LIMITS, check);
}
