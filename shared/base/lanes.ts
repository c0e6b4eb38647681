/** How a batch of work is bounded: so many at a time, and none begun after so many milliseconds. */
export interface Bounds {
  readonly sideBySide: number;
  readonly forMs: number;
}

/**
 * Does `work` on each item, some side by side, until all are done or the time is up. Items are asked for as lanes come free,
 * so that there may be any number of them. Returns the outcomes of those begun. Throws what the items or the work throw, once
 * all that was begun has ended.
 */
export async function inLanes<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  { sideBySide, forMs }: Bounds,
  work: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const giveUpAt = performance.now() + forMs;
  const outcomes: Outcome[] = [];
  const coming = inTurn(items);
  const lane = async () => {
    for (let next = await coming.next(); !next.done && performance.now() < giveUpAt; next = await coming.next()) {
      outcomes.push(await work(next.value));
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: sideBySide }, lane));
  await coming.return();
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  return outcomes;
}

/** The items to several who ask at once: each goes to one of them. */
async function* inTurn<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  yield* items;
}
