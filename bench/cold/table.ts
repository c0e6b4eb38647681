import { median } from '../statistics.ts';
import { alignColumns } from '../table.ts';

/** The cold starts of one function, in milliseconds. */
export interface ColdTimes {
  readonly name: string;
  readonly request: string;
  readonly source: number[];
  readonly bundled: number[];
  /** Bundled, with a code cache. */
  readonly cached: number[];
}

/** The limit for a start with the code cache, as a share of the start from source. */
const MOST_OF_SOURCE = 0.6;
/** The limit for functions on the path of a request, as a multiple of the bare function's start. */
const MOST_TIMES_BARE = 1.5;
const BESIDE_BARE = new Set(['router', 'crypto']);

const HEAD = ['function', 'first answer', 'source', 'bundled', 'cached', 'bundled/source', 'cached/source', '× bare'];

/** Shows medians. The last column is the ratio of the cached function to the cached bare function. */
export function showColdTable(rows: readonly ColdTimes[]): string {
  const bare = rows.find(({ name }) => name === 'bare');
  const lines = rows.map(({ name, request, ...times }) => {
    const [source, bundled, cached] = [times.source, times.bundled, times.cached].map(median);
    const ratios = [ratio(bundled, source), ratio(cached, source), bare ? ratio(cached, median(bare.cached)) : ''];
    return [name, request, ...[source, bundled, cached].map((ms = 0) => ms.toFixed(0)), ...ratios];
  });
  return alignColumns([HEAD, ...lines]);
}

/** The first `encrypt` has no limit, because it spends most of the time opening connections. */
export function exceededLimits(rows: readonly ColdTimes[]): string[] {
  const bare = median(rows.find(({ name }) => name === 'bare')?.cached ?? []);
  return rows
    .filter(({ name, request }) => name !== 'bare' && request !== 'encrypt')
    .flatMap(({ name, source, cached }) => {
      const [ofSource, timesBare] = [median(cached) / median(source), median(cached) / bare];
      return [
        ...(ofSource > MOST_OF_SOURCE ? [`${name} takes ${ofSource.toFixed(2)} of its start from source`] : []),
        ...(BESIDE_BARE.has(name) && timesBare > MOST_TIMES_BARE
          ? [`${name} takes ${timesBare.toFixed(2)} times as long as the bare function`]
          : []),
      ];
    });
}

function ratio(one = Number.NaN, other = Number.NaN): string {
  return (one / other).toFixed(2);
}
