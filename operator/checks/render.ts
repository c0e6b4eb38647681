import type { Part } from './part.ts';

/** A part for people: its title, a table of what was checked, and a line for each finding. */
export function renderPart({ title, checked, findings, adopted }: Part): string {
  const rows = Object.entries({
    ...checked,
    findings: findings.length,
    ...(adopted.length > 0 && { adopted: adopted.length }),
  });
  const numbers = rows.map(([, number]) => number.toLocaleString('en-US'));
  const widths = [
    Math.max(...rows.map(([what]) => what.length)),
    Math.max(...numbers.map((number) => number.length)),
  ] as const;
  const table = rows.map(([what], at) => `  ${what.padEnd(widths[0])}  ${(numbers[at] ?? '').padStart(widths[1])}`);
  const lines = [
    ...findings.map(({ kind, text, remedy }) => `${kind}: ${text}${remedy === undefined ? '' : `. ${remedy}`}`),
    ...adopted.map(({ kind, text }) => `adopted, ${kind}: ${text}`),
  ];
  return [title, ...table, ...lines, ''].join('\n');
}
