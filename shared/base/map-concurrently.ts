export interface RunLimits {
  readonly concurrency: number;
  readonly forMs: number;
}

/**
 * Calls `work` for items concurrently. Starts no more items after `forMs` milliseconds, and returns the results of the
 * started items. If an item fails, throws the first error after all started items have ended.
 */
export async function mapConcurrently<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { concurrency, forMs }: RunLimits,
  work: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const giveUpAt = performance.now() + forMs;
  const outcomes: Outcome[] = [];
  const iterator = iterate(items);
  const worker = async () => {
    for (let next = await iterator.next(); !next.done && performance.now() < giveUpAt; next = await iterator.next()) {
      outcomes.push(await work(next.value));
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  await iterator.return();
  for (const ended of workers) if (ended.status === 'rejected') throw ended.reason;
  return outcomes;
}

async function* iterate<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  yield* items;
}
