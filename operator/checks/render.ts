import { FINDINGS } from './findings.ts';
import type { Part } from './part.ts';

/**
 * Returns a part as text: its title, a table of counts, a line for each finding, and advice for each kind of finding.
 */
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
    ...[...new Set(findings.map(({ kind }) => kind))].map(
      (kind) => `What to do about ${kind}: ${FINDINGS[kind].action}`,
    ),
    ...adopted.map(({ kind, text }) => `adopted, ${kind}: ${text}`),
  ];
  return [title, ...table, ...lines, ''].join('\n');
}
