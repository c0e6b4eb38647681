import { oneLine } from './plain-text.ts';
import { cell, type Row } from './row.ts';
import { heading } from './terminal.ts';

const GAP = '  ';

/** Rows as a table for people: a heading, then a line a row, each column as wide as its widest cell. */
export function table(rows: readonly Row[], fields: readonly string[]): string {
  const lines = rows.map((row) => fields.map((field) => cell(row[field], '-')));
  const headings = fields.map((field) => label(field).toUpperCase());
  const widths = headings.map((text, at) => Math.max(width(text), ...lines.map((line) => width(line[at] ?? ''))));
  const join = (cells: readonly string[]) =>
    cells
      .map((text, at) => pad(text, widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
  return [heading(join(headings)), ...lines.map(join)].map((line) => `${line}\n`).join('');
}

/** One object for people: a line a field. */
export function list(row: Row): string {
  const widest = Math.max(...Object.keys(row).map((name) => width(label(name))));
  const line = (name: string, value: unknown) => `${heading(pad(label(name), widest))}${GAP}${cell(value, '-')}\n`;
  return Object.entries(row)
    .map(([name, value]) => line(name, value))
    .join('');
}

/** A field's name for people. */
function label(field: string): string {
  return oneLine(field.replaceAll('_', ' '));
}

function pad(text: string, to: number): string {
  return text + ' '.repeat(Math.max(0, to - width(text)));
}

/** How many characters a text has, as people count them. */
function width(text: string): number {
  return [...new Intl.Segmenter().segment(text)].length;
}
