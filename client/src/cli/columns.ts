import { eastAsianWidth } from 'get-east-asian-width';
import { oneLine } from '../visible-text.ts';
import { cell, type Row } from './row.ts';
import { heading } from './terminal.ts';

const GAP = '  ';

/** Returns a heading and one line per row, with aligned columns. */
export function table(rows: readonly Row[], fields: readonly string[]): string {
  const lines = rows.map((row) => fields.map((field) => cell(row[field], '-')));
  const headings = fields.map((field) => label(field).toUpperCase());
  const widths = headings.map((text, at) => widest([text, ...lines.map((line) => line[at] ?? '')]));
  const join = (cells: readonly string[]) =>
    cells
      .map((text, at) => pad(text, widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
  return [heading(join(headings)), ...lines.map(join)].map((line) => `${line}\n`).join('');
}

export function list(row: Row): string {
  const most = widest(Object.keys(row).map(label));
  const line = (name: string, value: unknown) => `${heading(pad(label(name), most))}${GAP}${cell(value, '-')}\n`;
  return Object.entries(row)
    .map(([name, value]) => line(name, value))
    .join('');
}

function label(field: string): string {
  return oneLine(field.replaceAll('_', ' '));
}

function pad(text: string, to: number): string {
  return text + ' '.repeat(Math.max(0, to - width(text)));
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, width(text)), 0);
}

const SEGMENTER = new Intl.Segmenter();

/** Returns the number of terminal cells that the text takes: two for wide characters and emojis. */
function width(text: string): number {
  // Nearly every text is ASCII, and finding segments takes a hundred times as long.
  if (/^[ -~]*$/.test(text)) return text.length;
  const widths = Array.from(SEGMENTER.segment(text), ({ segment }) => {
    return /\p{Emoji_Presentation}|\ufe0f/u.test(segment) ? 2 : eastAsianWidth(segment.codePointAt(0) ?? 0);
  });
  return widths.reduce((sum: number, one) => sum + one, 0);
}
