/** Returns rows as CSV (RFC 4180), with a header line and with CRLF line ends. Lists and objects become JSON, `null` an empty field. */
export function toCsv(rows: readonly object[], fields: readonly string[]): string {
  const plain: readonly (readonly string[])[] = rows.map((row) => {
    const values: unknown = JSON.parse(JSON.stringify(row));
    return fields.map((field) => textOf(Object(values)[field]));
  });
  return [fields, ...plain].map((line) => `${line.map(quote).join(',')}\r\n`).join('');
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function quote(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
