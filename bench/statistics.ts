/** The value at a share (0 to 1) of the sorted values, the nearest below: `0.5` is the median. NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}

/** The median: of an even number of values, the lower of the middle two. NaN of none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The items in random order. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
