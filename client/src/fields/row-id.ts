import { type Bytes, concat, utf8 } from '../files/bytes.ts';
import { isText, type Settings } from './options.ts';
import type { RowId } from './types.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LONGEST = 65_535;

/**
 * Returns the bytes of a row's id, to which values are bound. Throws a `TypeError` if the row has none, or another one
 * than `given`.
 */
export function readId(settings: Settings, row: object, given: RowId | undefined): Bytes {
  const { idColumns, hasOneId, table } = settings;
  if (idColumns === null) {
    if (given !== undefined) throw new TypeError(`values of the table ${table} are not bound to an id`);
    return new Uint8Array();
  }
  const texts = idColumns.map((column) => {
    const [own, other] = [Reflect.get(row, column), givenFor(settings, column, given)];
    const text = textOf(own ?? other);
    if (text === undefined) {
      throw new TypeError(
        `a row of the table ${table} has no id: ${column} must be a text, a safe integer or a bigint`,
      );
    }
    if (other !== undefined && textOf(other) !== text) {
      throw new TypeError(`a row of the table ${table} has another ${column} than the option id`);
    }
    return text;
  });
  const [first = ''] = texts;
  return hasOneId ? utf8(first) : concat(...texts.map(withLength));
}

/** Returns a row's id as the row has it; of several columns, an object. `undefined` if values are not bound to rows. */
export function shownId(settings: Settings, row: object, given: RowId | undefined): unknown {
  const values = settings.idColumns?.map((column): [string, unknown] => {
    return [column, Reflect.get(row, column) ?? givenFor(settings, column, given)];
  });
  return settings.hasOneId ? values?.[0]?.[1] : values && Object.fromEntries(values);
}

/** Returns the part of the option `id` for a column. */
function givenFor({ hasOneId }: Settings, column: string, given: RowId | undefined): unknown {
  return typeof given === 'object' && given !== null ? Reflect.get(given, column) : hasOneId ? given : undefined;
}

/** Returns two bytes of length (big-endian) and the UTF-8 of a text. Throws a `TypeError` above 65,535 bytes. */
export function withLength(text: string): Bytes {
  const bytes = utf8(text);
  if (bytes.length > LONGEST) throw new TypeError('a name or an id is longer than 65,535 bytes');
  return concat(new Uint8Array([bytes.length >> 8, bytes.length & 255]), bytes);
}

/** Returns the text of an id: integers in decimal, UUIDs in lower case. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  if (!isText(value)) return undefined;
  return UUID.test(value) ? value.toLowerCase() : value;
}
