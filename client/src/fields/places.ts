import { EncryptionServiceError } from '../errors.ts';
import { FormatError } from '../files/format-error.ts';

/** Where a value is. `rowId` is as in the row. */
export interface Place {
  readonly table: string;
  readonly column: string;
  readonly rowId: unknown;
}

/** Names a place for people, without its value. */
export function describe({ table, column, rowId }: Place): string {
  const row =
    rowId === undefined ? '' : ` of the row ${typeof rowId === 'object' ? JSON.stringify(rowId, asText) : rowId}`;
  return `${table}.${column}${row}`;
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
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
