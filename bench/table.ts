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

type Cells = readonly string[];

/** Returns lines of text in which each cell is padded to the width of its column. */
export function alignColumns(lines: readonly Cells[]): string {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const padded = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return padded.map((line) => `${line.trimEnd()}\n`).join('');
}

export function markdownTable(head: Cells, rows: readonly Cells[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
