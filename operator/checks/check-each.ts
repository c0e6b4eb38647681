import { FairQueue, type Turns } from '../../shared/base/fair-queue.ts';

export const CHECKING: Turns = {
  what: 'items that `check-store` or `restart-logs` checks',
  owner: 'process',
  running: 8,
  runningPerOwner: 8,
};

/** Checks the items of a page concurrently. Reads the next page only after that, so that memory holds only one page. */
export async function checkEach<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  check: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = new FairQueue(CHECKING);
  for await (const page of pages) await Promise.all(page.map((item) => queue.run('', () => check(item))));
}
