import { median } from './statistics.ts';
import { alignColumns } from './table.ts';

/** The cold starts of one function in milliseconds, by the form of its code. */
export interface ColdTimes {
  readonly name: string;
  readonly request: string;
  readonly source: number[];
  readonly bundled: number[];
  /** Bundled, with its code cache. */
  readonly cached: number[];
}

const HEAD = ['function', 'first answer', 'source', 'bundled', 'cached', 'bundled/source', 'cached/source', '× bare'];

/** The medians as a table. The last column is the ratio of the cached function to the cached bare one. */
export function showColdTable(rows: readonly ColdTimes[]): string {
  const bare = rows.find(({ name }) => name === 'bare');
  const lines = rows.map(({ name, request, ...times }) => {
    const [source, bundled, cached] = [times.source, times.bundled, times.cached].map(median);
    const ratios = [ratio(bundled, source), ratio(cached, source), bare ? ratio(cached, median(bare.cached)) : ''];
    return [name, request, ...[source, bundled, cached].map((ms = 0) => ms.toFixed(0)), ...ratios];
  });
  return alignColumns([HEAD, ...lines]);
}

function ratio(one = Number.NaN, other = Number.NaN): string {
  return (one / other).toFixed(2);
}
