import { EncryptionServiceError } from '../errors.ts';
import { FormatError } from '../files/format-error.ts';

/** Where a value is. `rowId` is as in the row. */
export interface Place {
  readonly table: string;
  readonly column: string;
  readonly rowId: unknown;
}

/** Names a place for people, without its value. */
function describe({ table, column, rowId }: Place): string {
  const shown = typeof rowId === 'object' ? JSON.stringify(rowId, partOfId) : shownPart(rowId);
  return shown === undefined ? `${table}.${column}` : `${table}.${column} of the row ${shown}`;
}

function partOfId(column: string, value: unknown): unknown {
  return column === '' ? value : shownPart(value);
}

/** Returns a value that can be an id, or a part of one. */
function shownPart(value: unknown): string | number | undefined {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** Returns a `TypeError` about a value. The message names its place, and not the value. */
export function wrongValue(place: Place, what: string): TypeError {
  return new TypeError(`${describe(place)} ${what}`);
}

/** Returns a `FormatError` with the place of a value that cannot be read. */
export function unreadable(place: Place, what: string): FormatError & Place {
  return Object.assign(new FormatError('invalid_record', `${describe(place)} ${what}`), place);
}

/** Returns an error of the service. If it is about one value, the error has the value's place. */
export function located(error: unknown, place: Place): unknown {
  if (error instanceof FormatError) return unreadable(place, 'has a malformed data key');
  if (!(error instanceof EncryptionServiceError && error.code === 'invalid_ciphertext')) return error;
  const { code, status, requestId, cause } = error;
  const message = `${describe(place)} cannot be decrypted: ${error.message}`;
  return Object.assign(new EncryptionServiceError(code, message, { status, requestId, cause }), place);
}
