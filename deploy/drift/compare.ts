import type { Comparison, Resource } from './resource.ts';

export interface Difference {
  readonly what: string;
  readonly setting: string;
  readonly expected: string;
  readonly found: string;
}

/** Returns every difference: missing resources, settings with another value, and resources that nobody asked for. */
export function compare({ expected, found }: Comparison): Difference[] {
  const foundByName = new Map(found.map((one) => [one.what, one]));
  const wanted = new Set(expected.map(({ what }) => what));
  const rest = found.filter(({ what }) => !wanted.has(what));
  return [
    ...expected.flatMap((one) => differencesOf(one, foundByName.get(one.what))),
    ...rest.map(({ what }) => ({ what, setting: '', expected: 'nothing', found: 'exists' })),
  ];
}

function differencesOf({ what, settings }: Resource, found: Resource | undefined): Difference[] {
  if (found === undefined) return [{ what, setting: '', expected: 'exists', found: 'nothing' }];
  return Object.entries(settings).flatMap(([setting, value]) => {
    const other = found.settings[setting] ?? '';
    return isSame(value, other) ? [] : [{ what, setting, expected: value, found: other }];
  });
}

/** Google leaves out values that are zero, false or empty. */
function isSame(one: string, other: string): boolean {
  const empty = ['', '0', '0s', 'false'];
  return one === other || (empty.includes(one) && empty.includes(other));
}

/** Returns the differences as a table for a terminal. Long values are cut. */
export function renderDifferences(differences: readonly Difference[]): string {
  const head = { what: 'RESOURCE', setting: 'SETTING', expected: 'EXPECTED', found: 'FOUND' };
  const rows = [head, ...differences].map(({ what, setting, expected, found }) =>
    [what, setting, expected, found].map((cell) => cut(cell.replaceAll('\n', ' '))),
  );
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows
    .map((row) => `${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

function cut(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
