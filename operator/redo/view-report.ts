import { OUTCOMES, type Report } from './redo.ts';

export function viewReport(report: Report): string {
  const rows = [...report].map(([kind, counts]) => [kind, ...OUTCOMES.map((outcome) => String(counts[outcome]))]);
  const table = [['change', ...OUTCOMES], ...rows];
  const widths = ['change', ...OUTCOMES].map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const pad = (cell: string, at: number) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0));
  return table.map((row) => `${row.map(pad).join('  ')}\n`).join('');
}
