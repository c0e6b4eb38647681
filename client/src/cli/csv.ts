import { plain, type Row } from './row.ts';

/** Rows as RFC 4180 has them: lines end in CRLF, the first one has the fields' names. */
export function csv(rows: readonly Row[], fields: readonly string[]): string {
  const lines = [fields, ...rows.map((row) => fields.map((field) => plain(row[field])))];
  return lines.map((line) => `${line.map(quote).join(',')}\r\n`).join('');
}

function quote(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
