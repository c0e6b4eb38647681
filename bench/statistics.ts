/**
 * Returns the quantile of values for a share from 0 to 1. For 0.5, this is the median. Between two values, it returns
 * the lower one. Returns NaN if there are no values.
 */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}

/**
 * Returns the median. For an even number of values, this is the lower of the middle two. Returns NaN if there are no
 * values.
 */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
