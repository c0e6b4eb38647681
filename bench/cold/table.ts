import { median } from '../statistics.ts';
import { alignColumns } from '../table.ts';

/** The times of one function's cold starts, in milliseconds. */
export interface ColdTimes {
  readonly name: string;
  readonly request: string;
  readonly source: number[];
  readonly bundled: number[];
  /** The times from the bundle with a code cache. */
  readonly cached: number[];
}

/** The maximum time to start with the code cache, as a share of the time to start from source. */
const MAX_OF_SOURCE = 0.6;
/**
 * The maximum time to start with the code cache, for functions that a request must wait for. It is a multiple of the
 * bare function's time.
 */
const MAX_TIMES_BARE = 1.5;
const COMPARED_WITH_BARE = new Set(['router', 'crypto']);

const HEAD = ['function', 'first answer', 'source', 'bundled', 'cached', 'bundled/source', 'cached/source', '× bare'];

/**
 * Returns a table of medians. The last column compares each function with the bare function, both with a code cache.
 */
export function showColdTable(rows: readonly ColdTimes[]): string {
  const bare = rows.find(({ name }) => name === 'bare');
  const lines = rows.map(({ name, request, ...times }) => {
    const [source, bundled, cached] = [times.source, times.bundled, times.cached].map(median);
    const ratios = [ratio(bundled, source), ratio(cached, source), bare ? ratio(cached, median(bare.cached)) : ''];
    return [name, request, ...[source, bundled, cached].map((ms = 0) => ms.toFixed(0)), ...ratios];
  });
  return alignColumns([HEAD, ...lines]);
}

/**
 * Returns a line for each exceeded limit. The case with `encrypt` has no limit, because opening connections takes most
 * of its time.
 */
export function exceededLimits(rows: readonly ColdTimes[]): string[] {
  const bare = median(rows.find(({ name }) => name === 'bare')?.cached ?? []);
  return rows
    .filter(({ name, request }) => name !== 'bare' && request !== 'encrypt')
    .flatMap(({ name, source, cached }) => {
      const [ofSource, timesBare] = [median(cached) / median(source), median(cached) / bare];
      return [
        ...(ofSource > MAX_OF_SOURCE ? [`${name} takes ${ofSource.toFixed(2)} times as long as from source`] : []),
        ...(COMPARED_WITH_BARE.has(name) && timesBare > MAX_TIMES_BARE
          ? [`${name} takes ${timesBare.toFixed(2)} times as long as the bare function`]
          : []),
      ];
    });
}

function ratio(one = Number.NaN, other = Number.NaN): string {
  return (one / other).toFixed(2);
}
