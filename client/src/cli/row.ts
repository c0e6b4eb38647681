import { oneLine } from '../visible-text.ts';

export type Row = Readonly<Record<string, unknown>>;

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object with the same values as the API's JSON, so times are text with microseconds. */
export function rowOf(object: object): Row {
  const row: unknown = JSON.parse(JSON.stringify(object));
  return isRow(row) ? row : {};
}

/** Returns one line of text, or `empty` for a missing value. */
export function cell(value: unknown, empty: string): string {
  const text = plain(value);
  return text === '' ? empty : oneLine(text);
}

/** Converts a value to text. A list becomes a text with commas, a missing value an empty text. */
function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (isRow(value))
    return Object.entries(value)
      .map(([name, one]) => `${name} ${plain(one)}`)
      .join(' ');
  return String(value);
}
