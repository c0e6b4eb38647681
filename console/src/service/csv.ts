/** Returns rows as CSV (RFC 4180): a header line, CRLF line ends, and an empty field for `null`. */
export function toCsv(rows: readonly object[], fields: readonly string[]): string {
  const plain: readonly (readonly string[])[] = rows.map((row) => {
    const values: unknown = JSON.parse(JSON.stringify(row));
    return fields.map((field) => String(Object(values)[field] ?? ''));
  });
  return [fields, ...plain].map((line) => `${line.map(quote).join(',')}\r\n`).join('');
}

function quote(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
