import { oneLine } from './plain-text.ts';

/** An object that the API answered, its fields by their names there. */
export type Row = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of the library as the API answered it: times are text again, to the microsecond. */
export function rowOf(object: object): Row {
  const row: unknown = JSON.parse(JSON.stringify(object));
  return isRow(row) ? row : {};
}

/** A field's value as text in one line; `empty` stands for nothing. */
export function cell(value: unknown, empty: string): string {
  const text = plain(value);
  return text === '' ? empty : oneLine(text);
}

/** A field's value as text: lists by commas, nothing as the empty text. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (isRow(value))
    return Object.entries(value)
      .map(([name, one]) => `${name} ${plain(one)}`)
      .join(' ');
  return String(value);
}
