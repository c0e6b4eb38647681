import { type Bytes, concat, utf8 } from '../files/bytes.ts';
import { isText, refuseUnknown, type Settings, valueIn, withLength } from './options.ts';
import { wrongValue } from './places.ts';
import type { RowId } from './types.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

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
  refuseOtherColumns(settings, idColumns, given);
  const texts = idColumns.map((column) => {
    const [own, other] = [valueIn(row, column), givenFor(settings, column, given)];
    const text = textOf(own ?? other);
    if (text !== undefined && (other === undefined || textOf(other) === text)) return text;
    const place = { table, column, rowId: shownId(settings, row, given) };
    if (text !== undefined) throw wrongValue(place, 'differs from the option id');
    throw wrongValue(place, 'must be text, a safe integer or a bigint, because it is the id');
  });
  const [first = ''] = texts;
  return hasOneId ? utf8(first) : concat(...texts.map((text) => withLength(text, `an id of the table ${table}`)));
}

/** Throws a `TypeError` if the option `id` has other columns than the table's id. */
function refuseOtherColumns({ hasOneId, table }: Settings, columns: readonly string[], given: RowId | undefined): void {
  const what = `the option id of the table ${table}`;
  if (typeof given === 'object' && given !== null) refuseUnknown('column', `in ${what}`, given, columns);
  else if (given !== undefined && !hasOneId)
    throw new TypeError(`${what} must be an object with ${columns.join(', ')}`);
}

/** Returns a row's id as the row has it; of several columns, an object. `undefined` if values are not bound to rows. */
export function shownId(settings: Settings, row: object, given: RowId | undefined): unknown {
  const values = settings.idColumns?.map((column): [string, unknown] => {
    return [column, valueIn(row, column) ?? givenFor(settings, column, given)];
  });
  return settings.hasOneId ? values?.[0]?.[1] : values && Object.fromEntries(values);
}

/** Returns the part of the option `id` for a column. */
function givenFor({ hasOneId }: Settings, column: string, given: RowId | undefined): unknown {
  return typeof given === 'object' && given !== null ? valueIn(given, column) : hasOneId ? given : undefined;
}

/** Returns the text of an id: integers in decimal, UUIDs in lower case. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  if (!isText(value)) return undefined;
  return UUID.test(value) ? value.toLowerCase() : value;
}
