import { alignColumns } from './table.ts';

/** The milliseconds of one function's cold starts, by the form that its code is in. */
export interface ColdTimes {
  readonly name: string;
  readonly asked: string;
  readonly source: number[];
  readonly bundled: number[];
  /** Bundled, with its code cache. */
  readonly cached: number[];
}

const HEAD = ['function', 'first answer', 'source', 'bundled', 'cached', 'bundled/source', 'cached/source', '× bare'];

/** Medians in milliseconds. The last column is the cached function over the bare one in the same form. */
export function showColdTable(rows: readonly ColdTimes[]): string {
  const bare = rows.find(({ name }) => name === 'bare');
  const lines = rows.map(({ name, asked, ...times }) => {
    const [source, bundled, cached] = [times.source, times.bundled, times.cached].map(median);
    const ratios = [ratio(bundled, source), ratio(cached, source), bare ? ratio(cached, median(bare.cached)) : ''];
    return [name, asked, ...[source, bundled, cached].map((ms = 0) => ms.toFixed(0)), ...ratios];
  });
  return alignColumns([HEAD, ...lines]);
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

function ratio(one = Number.NaN, other = Number.NaN): string {
  return (one / other).toFixed(2);
}
