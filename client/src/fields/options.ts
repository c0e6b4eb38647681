import { type Bytes, concat, utf8 } from '../files/bytes.ts';
import { isKeyId } from '../files/key-id.ts';

/** The type of a field: text, a value of JSON, or a `Uint8Array`. */
export type FieldType = 'text' | 'json' | 'bytes';

export interface FieldOptions {
  readonly type: FieldType;
  /** Whether the field can be searched by equality: `true` for the column `<field>_index`, or a column's name. */
  readonly index?: boolean | string | undefined;
  /** The length of the index's values in bits: 16 to 256 in steps of 8. The default is 256. */
  readonly bits?: number | undefined;
  /** Returns what is indexed instead of a text, for example the text in lower case. */
  readonly normalize?: ((text: string) => string) | undefined;
  /** The name that values and index are bound to. The default is the field's own name. */
  readonly as?: string | undefined;
}

export type Fields = Readonly<Record<string, FieldType | FieldOptions>>;
export type Encoding = 'text' | 'bytes';

export interface FieldsOptions<F extends Fields = Fields, E extends Encoding = Encoding> {
  /** The key that wraps the data keys. */
  readonly keyId: string;
  readonly table: string;
  readonly fields: F;
  /** From `createIndexKey`. Needed if a field has an index. */
  readonly indexKey?: string | undefined;
  /**
   * The column, or the columns, that a value is bound to. The default is `id`. `null` binds to table and column only, so
   * that values of two rows can be swapped.
   */
  readonly id?: string | readonly string[] | null | undefined;
  /** How values are stored: as text (the default) or as bytes. */
  readonly encoding?: E | undefined;
  /** Reads plaintext too, while old rows are being encrypted. */
  readonly plaintext?: 'allow' | undefined;
}

/** A field with all its defaults. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly boundName: string;
  /** The beginning of what a value is bound to: the length of the bound name, and the name. The id follows. */
  readonly bound: Bytes;
  /** The column of its index, if it has one. */
  readonly index: string | undefined;
  readonly bits: number;
  readonly normalize: (text: string) => unknown;
}

export interface Settings {
  readonly keyId: string;
  readonly table: string;
  readonly fields: readonly Field[];
  readonly indexKey: string | undefined;
  readonly idColumns: readonly string[] | null;
  /** Whether the id is one value, and not one of several columns. */
  readonly hasOneId: boolean;
  readonly encoding: Encoding;
  readonly allowsPlaintext: boolean;
}

const OPTIONS = ['keyId', 'table', 'fields', 'indexKey', 'id', 'encoding', 'plaintext'];
const FIELD_OPTIONS = ['type', 'index', 'bits', 'normalize', 'as'];
const TYPES: readonly unknown[] = ['text', 'json', 'bytes'];

/** Reads the options and applies the defaults. Throws a `TypeError` for a wrong or unknown option. */
export function readSettings(options: FieldsOptions): Settings {
  const table = readName('table', requireObject('options', options).table);
  const of = `of the table ${table}`;
  refuseUnknown('option', of, options, OPTIONS);
  const { keyId, fields, indexKey, id = 'id', encoding = 'text', plaintext } = options;
  if (typeof keyId !== 'string' || !isKeyId(keyId.toLowerCase())) throw new TypeError(`keyId ${of} must be a UUID`);
  const read = Object.entries(requireObject(`fields ${of}`, fields)).map(([name, given]) =>
    readField(table, name, given),
  );
  if (read.length === 0) throw new TypeError(`fields ${of} must name at least one field`);
  const idColumns = readIdColumns(of, id);
  if (encoding !== 'text' && encoding !== 'bytes') throw new TypeError(`encoding ${of} must be 'text' or 'bytes'`);
  if (plaintext !== undefined && plaintext !== 'allow') {
    throw new TypeError(`plaintext ${of} must be 'allow' or absent`);
  }
  const settings: Settings = {
    keyId: keyId.toLowerCase(),
    table,
    fields: read,
    indexKey: readIndexKeyOption(of, indexKey, read),
    idColumns,
    hasOneId: idColumns?.length === 1,
    encoding,
    allowsPlaintext: plaintext === 'allow',
  };
  refuseClashes(of, settings);
  return settings;
}

function readField(table: string, name: string, given: FieldType | FieldOptions): Field {
  const field = `the field ${table}.${readName(`a field of the table ${table}`, name)}`;
  const options = typeof given === 'string' ? { type: given } : given;
  refuseUnknown('option', `of ${field}`, requireObject(field, options), FIELD_OPTIONS);
  const { type, index = false, bits, normalize, as = name } = options;
  if (!TYPES.includes(type)) throw new TypeError(`${field} must have the type text, json or bytes`);
  const column = index === true ? `${name}_index` : index;
  if (column !== false) readName(`the index of ${field}`, column);
  if (column !== false && type !== 'text') throw new TypeError(`${field} is no text, so it has no index`);
  if (column === false && (bits !== undefined || normalize !== undefined)) {
    throw new TypeError(`${field} has no index, so it has no bits and no normalize`);
  }
  if (bits !== undefined && !(Number.isInteger(bits) && bits >= 16 && bits <= 256 && bits % 8 === 0)) {
    throw new TypeError(`bits of ${field} must be 16 to 256 in steps of 8`);
  }
  if (normalize !== undefined && typeof normalize !== 'function') {
    throw new TypeError(`normalize of ${field} must be a function`);
  }
  const boundName = readName(`as of ${field}`, as);
  return {
    name,
    type,
    boundName,
    bound: withLength(boundName, `as of ${field}`),
    index: column === false ? undefined : column,
    bits: bits ?? 256,
    normalize: normalize ?? ((text) => text),
  };
}

function readIdColumns(of: string, id: FieldsOptions['id']): readonly string[] | null {
  if (id === null) return null;
  const columns = typeof id === 'string' ? [id] : id;
  if (!Array.isArray(columns) || columns.length === 0)
    throw new TypeError(`id ${of} must be a column, a list of them or null`);
  const names = columns.map((column: unknown) => readName(`id ${of}`, column));
  if (new Set(names).size < names.length) throw new TypeError(`id ${of} names a column twice`);
  return names;
}

function readIndexKeyOption(of: string, indexKey: unknown, fields: readonly Field[]): string | undefined {
  if (indexKey !== undefined && typeof indexKey !== 'string') throw new TypeError(`indexKey ${of} must be a text`);
  const indexed = fields.find(({ index }) => index !== undefined);
  if (indexKey === undefined && indexed !== undefined) {
    throw new TypeError(`the field ${indexed.name} ${of} has an index, which needs an indexKey from createIndexKey`);
  }
  return indexKey;
}

/** Throws a `TypeError` if two things have one name that must be told apart. */
function refuseClashes(of: string, { fields, idColumns }: Settings): void {
  const names = fields.map(({ name }) => name);
  const indexes = fields.flatMap(({ index }) => index ?? []);
  const bound = fields.map(({ boundName }) => boundName);
  const clash =
    (idColumns ?? []).find((column) => names.includes(column) || indexes.includes(column)) ??
    indexes.find((column, at) => names.includes(column) || indexes.indexOf(column) !== at) ??
    bound.find((name, at) => bound.indexOf(name) !== at);
  if (clash !== undefined) throw new TypeError(`${clash} is named twice among fields, indexes and id ${of}`);
}

/** Returns a name. Throws a `TypeError` unless it is a well-formed text that is not empty and has no NUL. */
function readName(what: string, name: unknown): string {
  if (isText(name) && name !== '' && !name.includes('\0')) return name;
  throw new TypeError(`${what} must be a well-formed name that is not empty and has no NUL`);
}

const LONGEST = 65_535;

/** Returns two bytes of length (big-endian) and the UTF-8 of a text. Throws a `TypeError` above 65,535 bytes. */
export function withLength(text: string, what: string): Bytes {
  const bytes = utf8(text);
  if (bytes.length > LONGEST) throw new TypeError(`${what} is longer than 65,535 bytes`);
  return concat(new Uint8Array([bytes.length >> 8, bytes.length & 255]), bytes);
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether the value is text that UTF-8 can encode. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !LONE_SURROGATE.test(value);
}

export function requireObject<T extends object>(what: string, value: T | undefined): T {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TypeError(`${what} must be an object`);
}

/** Returns the value of a column. A column may have the name of a member that every object has, such as `constructor`. */
export function valueIn(row: object, column: string): unknown {
  return Object.hasOwn(row, column) ? Reflect.get(row, column) : undefined;
}

export function refuseUnknown(what: string, of: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`unknown ${what}: ${unknown}, ${of}`);
}
