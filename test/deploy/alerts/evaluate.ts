import type { Threshold } from './policy.ts';

/** A time series: its labels, and its points. A point is a minute and a value; for a distribution, all values. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [minute: number, value: number | boolean | readonly number[]])[];
}

/**
 * Returns whether a condition with a threshold is met at some minute, as Cloud Monitoring evaluates it: the points of
 * each series in the alignment period become one value, the series become one value, and this value must exceed the
 * threshold for the whole duration.
 */
export function isRaised(condition: Threshold, all: readonly Series[]): boolean {
  const [{ alignmentPeriod, perSeriesAligner, crossSeriesReducer }] = condition.aggregations;
  const window = seconds(alignmentPeriod) / 60;
  const series = all.filter(({ labels }) => matches(condition.filter, labels));
  const last = Math.max(0, ...series.flatMap(({ points }) => points.map(([minute]) => minute)));
  const needed = 1 + seconds(condition.duration) / 60;
  let inRow = 0;
  for (let minute = 0; minute <= last + window; minute++) {
    const aligned = series.flatMap(({ points }) => {
      const inside = points.filter(([at]) => at > minute - window && at <= minute).map(([, value]) => value);
      return inside.length === 0 ? [] : [align(perSeriesAligner, inside)];
    });
    const value = reduce(crossSeriesReducer, aligned);
    inRow = value !== undefined && value > condition.thresholdValue ? inRow + 1 : 0;
    if (inRow >= needed) return true;
  }
  return false;
}

/** Whether labels match a filter of equalities, `starts_with(…)` and `:` (contains), all of which must hold. */
export function matches(filter: string, labels: Readonly<Record<string, string>>): boolean {
  const terms = filter.match(/(?:log_id\("[^"]*"\)|[\w.]+(?:=|:)(?:starts_with\("[^"]*"\)|"[^"]*"))/g) ?? [];
  if (terms.join(' ') !== filter) throw new Error(`cannot read the filter ${filter}`);
  return terms.every((term) => {
    const [, log] = /^log_id\("(.*)"\)$/.exec(term) ?? [];
    if (log !== undefined) return labels.logName?.endsWith(`/logs/${encodeURIComponent(log)}`);
    const [, name = '', operator, prefix, value = ''] =
      /^([\w.]+)(=|:)(?:starts_with\("(.*)"\)|"(.*)")$/.exec(term) ?? [];
    const found = labels[name] ?? '';
    if (prefix !== undefined) return found.startsWith(prefix);
    return operator === ':' ? found.includes(value) : found === value;
  });
}

function align(
  aligner: Threshold['aggregations'][0]['perSeriesAligner'],
  values: readonly unknown[],
): number | boolean {
  if (aligner === 'ALIGN_NEXT_OLDER') return values.at(-1) === true;
  const numbers = values
    .flat()
    .map(Number)
    .sort((one, other) => one - other);
  if (aligner === 'ALIGN_DELTA') return numbers.reduce((sum, value) => sum + value, 0);
  return numbers[Math.ceil(numbers.length * 0.99) - 1] ?? 0;
}

function reduce(reducer: Threshold['aggregations'][0]['crossSeriesReducer'], values: readonly (number | boolean)[]) {
  if (values.length === 0) return undefined;
  if (reducer === 'REDUCE_COUNT_FALSE') return values.filter((value) => value === false).length;
  const numbers = values.map(Number);
  return reducer === 'REDUCE_MAX' ? Math.max(...numbers) : numbers.reduce((sum, value) => sum + value, 0);
}

function seconds(duration: string): number {
  return Number.parseInt(duration, 10);
}
