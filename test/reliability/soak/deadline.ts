/**
 * Returns the result of `work`. Throws an `Error` if the work takes more than `ms` milliseconds. `what` is the name of
 * the work in the error message.
 */
export async function withDeadline<Result>(ms: number, what: string, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} did not end within ${Math.round(ms / 1_000)} seconds`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Works on all items, at most `concurrency` of them at the same time. */
export async function forEach<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
