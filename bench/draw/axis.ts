/** A horizontal axis: where a value lies, and which values are marked. */
export interface Axis {
  readonly left: number;
  readonly right: number;
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** From 0 to at least `least`, a tick every `step`. */
export function linearAxis(left: number, right: number, values: readonly number[], least: number, step: number): Axis {
  const most = Math.ceil(Math.max(least, ...values) / step) * step;
  const ticks = Array.from({ length: most / step + 1 }, (_, n) => n * step);
  return { left, right, ticks, at: (value) => left + ((right - left) * value) / most };
}

/** Logarithmic, over as many decades as the values take; marked at 1, 2 and 5 of each. */
export function logAxis(left: number, right: number, values: readonly number[]): Axis {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const decades = Math.max(1, Math.ceil(Math.log10(Math.max(...values))) - first);
  const ticks = Array.from({ length: decades }, (_, n) => [1, 2, 5].map((by) => by * 10 ** (first + n))).flat();
  const at = (value: number) => left + ((right - left) * (Math.log10(value) - first)) / decades;
  return { left, right, ticks: [...ticks, 10 ** (first + decades)], at };
}
