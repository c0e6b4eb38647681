/** How a batch of work is bounded: so many at a time, and none begun after so many milliseconds. */
export interface Bounds {
  readonly sideBySide: number;
  readonly forMs: number;
}

/** Does `work` on each item, some side by side, until all are done or the time is up. Returns the outcomes of those begun. */
export async function inLanes<Item, Outcome>(
  items: readonly Item[],
  { sideBySide, forMs }: Bounds,
  work: (item: Item) => Promise<Outcome>,
): Promise<Outcome[]> {
  const giveUpAt = performance.now() + forMs;
  const outcomes: Outcome[] = [];
  const waiting = [...items];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined && performance.now() < giveUpAt; item = waiting.shift()) {
      outcomes.push(await work(item));
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, lane));
  return outcomes;
}
