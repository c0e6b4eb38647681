import type { Row } from './row.ts';

/**
 * Returns CSV as in RFC 4180, with CRLF line ends. The first line contains the field names. Lists and objects become JSON,
 * `null` an empty field.
 */
export function csv(rows: readonly Row[], fields: readonly string[]): string {
  const lines = [fields, ...rows.map((row) => fields.map((field) => textOf(row[field])))];
  return lines.map((line) => `${line.map(quote).join(',')}\r\n`).join('');
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function quote(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
