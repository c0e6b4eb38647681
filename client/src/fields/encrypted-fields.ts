import { type Bytes, concat, isUint8Array, utf8 } from '../files/bytes.ts';
import type { KeyService } from '../files/key-service.ts';
import type { ChunkedEncryption } from '../records/chunked-encryption.ts';
import { bindingOf, DataKeys, LENT, type Lent, unlessAborted } from '../records/data-keys.ts';
import { encodeRecord, type RecordParts } from '../records/record.ts';
import { eight, inParts } from './at-once.ts';
import { toBase64Url } from './base64url.ts';
import { Indexes, normalized } from './index-key.ts';
import {
  type Encoding,
  type Field,
  type Fields,
  type FieldsOptions,
  isText,
  readSettings,
  refuseUnknown,
  requireObject,
  type Settings,
  valueIn,
} from './options.ts';
import { located, type Place, unreadable, wrongValue } from './places.ts';
import { PREFIX, recordIn, textOfRecord, versionOf } from './record-text.ts';
import { readId, shownId } from './row-id.ts';
import type { DecryptedRow, EncryptedRow, RowOptions, RowsOptions } from './types.ts';
import { bytesOfValue, valueOfBytes } from './values.ts';

const ROW_OPTIONS = ['id', 'signal'];
const ROWS_OPTIONS = ['signal'];

type Row = Record<string, unknown>;

/** A value to encrypt or to read, in a copy of its row. */
interface Cell {
  readonly row: Row;
  /** As in the row. */
  readonly rowId: unknown;
  readonly field: Field;
}

interface PlainCell extends Cell {
  readonly recordId: Bytes;
  readonly plaintext: Bytes;
  /** What the field's index is computed from. */
  readonly indexed: string | undefined;
}

interface StoredCell extends Cell {
  readonly parts: RecordParts;
  /** The name of its data key in a call. */
  readonly dataKey: string;
}

interface SealedCell extends StoredCell {
  readonly recordId: Bytes;
}

/**
 * Encrypts and decrypts declared fields of a table's rows, on data keys that many values share. Whatever is wrong with a
 * value or an option is a `TypeError` before anything is sent.
 */
export class EncryptedFields<F extends Fields, E extends Encoding> {
  readonly #settings: Settings;
  readonly #dataKeys: DataKeys;
  readonly #lent: Lent;
  readonly #context: Bytes;
  readonly #indexes: Indexes | undefined;

  constructor(service: KeyService | DataKeys, options: FieldsOptions<F, E>) {
    this.#settings = readSettings(options);
    const { table, indexKey } = this.#settings;
    this.#dataKeys = isDataKeys(service) ? service : new DataKeys(service);
    this.#lent = this.#dataKeys[LENT];
    this.#context = utf8(`esk-fields-1\0${table}`);
    this.#indexes = indexKey === undefined ? undefined : new Indexes(this.#lent, table, indexKey);
  }

  /** Returns a new row whose declared fields are encrypted. An indexed field adds the column of its index. */
  async encryptRow<R extends object>(row: R, options: RowOptions = {}): Promise<EncryptedRow<R, F, E>> {
    const [encrypted] = await this.#encrypt([row], this.#readOptions(options, ROW_OPTIONS));
    return Object(encrypted);
  }

  /** Like {@link encryptRow}, for rows that have their ids. */
  async encryptRows<R extends object>(rows: readonly R[], options: RowsOptions = {}): Promise<EncryptedRow<R, F, E>[]> {
    return Object(await this.#encrypt(rows, this.#readOptions(options, ROWS_OPTIONS)));
  }

  /** Returns a new row whose declared fields are decrypted. Leaves out the columns of indexes, after checking them. */
  async decryptRow<R extends object>(row: R, options: RowOptions = {}): Promise<DecryptedRow<R, F>> {
    const [decrypted] = await this.#decrypt([row], this.#readOptions(options, ROW_OPTIONS));
    return Object(decrypted);
  }

  /** Like {@link decryptRow}, for rows that have their ids. */
  async decryptRows<R extends object>(rows: readonly R[], options: RowsOptions = {}): Promise<DecryptedRow<R, F>[]> {
    return Object(await this.#decrypt(rows, this.#readOptions(options, ROWS_OPTIONS)));
  }

  /** Returns the text to search for in the column of the field's index, and `null` for `null`. */
  async index(name: keyof F & string, value: string | null): Promise<string | null> {
    const field = this.#settings.fields.find((one) => one.name === name);
    const place = { table: this.#settings.table, column: name, rowId: undefined };
    if (field?.index === undefined || this.#indexes === undefined) throw wrongValue(place, 'has no index');
    if (value === null) return null;
    if (!isText(value)) throw wrongValue(place, MUST_BE.text);
    const text = normalized(field, value);
    if (text === undefined) throw wrongValue(place, NOT_NORMALIZED);
    return (await this.#indexes.of(field))(text);
  }

  /**
   * Returns new rows whose data keys are rewrapped with the current version of the key. Opens no value. Throws a
   * `TypeError` for a `free` or `wrapped` key, whose rotation destroys what it rewraps.
   */
  async rewrapRows<R extends object>(rows: readonly R[], options: RowsOptions = {}): Promise<R[]> {
    const { signal } = this.#readOptions(options, ROWS_OPTIONS);
    const copies = this.#copyRows(rows);
    const cells = copies.flatMap((row) => {
      const rowId = shownId(this.#settings, row, undefined);
      return this.#settings.fields.flatMap((field) => this.#readRewrapped({ row, rowId, field }) ?? []);
    });
    for (const cell of cells) {
      if (versionOf(cell.parts.wrapped) !== null) {
        throw wrongValue(
          this.#placeOf(cell),
          'has a data key of a free or wrapped key. A rotation of such a key needs decrypting all rows before it and encrypting them after it',
        );
      }
    }
    const { keyId } = this.#settings;
    const rewrapped = await this.#perDataKey(cells, signal, async (wrapped) => {
      const call = { ciphertext: wrapped, aad: this.#context };
      return (await this.#lent.service.rewrap(keyId, call, { signal })).ciphertext;
    });
    for (const { row, field, parts, dataKey } of cells) {
      const wrapped = rewrapped.get(dataKey);
      if (wrapped === undefined) continue;
      row[field.name] = this.#stored(encodeRecord({ keyId, wrapped, sealed: parts.sealed }), row[field.name]);
    }
    return Object(copies);
  }

  /** Forgets the data keys and the index key. Call it after a rotation. */
  forget(): void {
    this.#dataKeys.forget();
  }

  async #encrypt(rows: readonly object[], { id, signal }: RowOptions): Promise<Row[]> {
    const copies = this.#copyRows(rows);
    const cells = copies.flatMap((row) => this.#readPlain(row, id));
    for (const row of copies) {
      for (const { name, index } of this.#settings.fields) {
        if (valueIn(row, name) === undefined) delete row[name];
        else if (index !== undefined && valueIn(row, name) === null) row[index] = null;
      }
    }
    if (cells.length === 0) return copies;
    const { keyId } = this.#settings;
    const indexers = await this.#indexersOf(
      cells.flatMap(({ field, indexed }) => (indexed === undefined ? [] : field)),
      signal,
    );
    const seal = this.#lent.sealer(keyId, this.#context);
    await unlessAborted(
      () =>
        inParts(cells, async ({ row, field, plaintext, recordId, indexed }) => {
          const record = await seal(plaintext, recordId);
          const index = indexed === undefined ? undefined : await indexers.get(field)?.(indexed);
          row[field.name] = this.#settings.encoding === 'text' ? textOfRecord(record) : record;
          if (field.index !== undefined) row[field.index] = index;
        }),
      signal,
    );
    return copies;
  }

  /** Returns the values of a row that will be encrypted. Throws a `TypeError` for whatever is wrong with the row. */
  #readPlain(row: Row, id: RowOptions['id']): PlainCell[] {
    const { fields, keyId } = this.#settings;
    const idBytes = readId(this.#settings, row, id);
    const rowId = shownId(this.#settings, row, id);
    return fields.flatMap((field) => {
      const { name, type, index } = field;
      const cell = { row, rowId, field };
      if (index !== undefined && valueIn(row, index) !== undefined) {
        throw wrongValue(this.#placeOf(cell, index), 'is the column of an index, which encryption sets');
      }
      const value = valueIn(row, name);
      if (value === undefined || value === null) return [];
      const plaintext = bytesOfValue(type, value);
      if (plaintext === undefined) throw wrongValue(this.#placeOf(cell), MUST_BE[type]);
      if (recordIn(value)?.keyId === keyId) throw wrongValue(this.#placeOf(cell), 'is encrypted already');
      const indexed = index !== undefined && isText(value) ? this.#normalized(cell, value) : undefined;
      return { ...cell, plaintext, indexed, recordId: concat(field.bound, idBytes) };
    });
  }

  #normalized(cell: Cell, value: string): string {
    const text = normalized(cell.field, value);
    if (text === undefined) throw wrongValue(this.#placeOf(cell), NOT_NORMALIZED);
    return text;
  }

  async #decrypt(rows: readonly object[], { id, signal }: RowOptions): Promise<Row[]> {
    const copies = this.#copyRows(rows);
    const cells = copies.flatMap((row) => this.#readSealed(row, id));
    const { keyId } = this.#settings;
    const ciphers = await this.#perDataKey(cells, signal, (wrapped) => this.#lent.open(keyId, wrapped, this.#context));
    await inParts(cells, async (cell) => {
      const cipher = ciphers.get(cell.dataKey);
      if (cipher !== undefined) cell.row[cell.field.name] = await this.#open(cell, cipher);
    });
    await this.#checkIndexes(copies, id, signal);
    for (const row of copies) for (const { index } of this.#settings.fields) if (index !== undefined) delete row[index];
    return copies;
  }

  /** Returns the records of a row. Throws a `FormatError` for plaintext that is not allowed, or a record of another key. */
  #readSealed(row: Row, id: RowOptions['id']): SealedCell[] {
    const { fields, allowsPlaintext } = this.#settings;
    const present = fields.filter(({ name }) => (valueIn(row, name) ?? null) !== null);
    if (present.length === 0 && id === undefined) return [];
    const idBytes = readId(this.#settings, row, id);
    const rowId = shownId(this.#settings, row, id);
    return present.flatMap((field) => {
      const cell = { row, rowId, field };
      const stored = this.#readStored(cell);
      if (stored !== undefined) return { ...stored, recordId: concat(field.bound, idBytes) };
      if (!allowsPlaintext) throw unreadable(this.#placeOf(cell), 'is not encrypted');
      return [];
    });
  }

  /** Like `#readStored`, but throws a `FormatError` for a value that is no plaintext either, such as an `ArrayBuffer`. */
  #readRewrapped(cell: Cell): StoredCell | undefined {
    const stored = this.#readStored(cell);
    const value = valueIn(cell.row, cell.field.name);
    if (stored !== undefined || value === undefined || value === null) return stored;
    const isPlain = typeof value === 'string' || isUint8Array(value) || bytesOfValue(cell.field.type, value);
    if (!isPlain) throw unreadable(this.#placeOf(cell), 'is not encrypted');
    return undefined;
  }

  /**
   * Returns a value's record, or `undefined` if the value is no record. Throws a `FormatError` for a damaged record or a
   * record of another key.
   */
  #readStored(cell: Cell): StoredCell | undefined {
    const { row, rowId, field } = cell;
    const value = valueIn(row, field.name);
    const parts = recordIn(value);
    const isDamaged = parts === undefined && typeof value === 'string' && value.startsWith(PREFIX);
    if (isDamaged) throw unreadable(this.#placeOf(cell), 'is a damaged record');
    if (parts === undefined) return undefined;
    if (parts.keyId !== this.#settings.keyId) throw unreadable(this.#placeOf(cell), 'was encrypted with another key');
    return { row, rowId, field, parts, dataKey: toBase64Url(parts.wrapped) };
  }

  async #open(cell: SealedCell, cipher: ChunkedEncryption): Promise<unknown> {
    const { parts, recordId, field } = cell;
    const plaintext = await cipher.open(parts.sealed, bindingOf({ context: this.#context, recordId }));
    if (plaintext === undefined) {
      throw unreadable(this.#placeOf(cell), 'was altered, or moved from another row, column or table');
    }
    try {
      return valueOfBytes(field.type, plaintext);
    } catch {
      throw unreadable(this.#placeOf(cell), `does not have the type ${field.type}`);
    }
  }

  /** Compares the columns of indexes with the decrypted values beside them. */
  async #checkIndexes(rows: readonly Row[], id: RowOptions['id'], signal: AbortSignal | undefined): Promise<void> {
    const given = rows.flatMap((row) =>
      this.#settings.fields.flatMap((field) => {
        const { name, index } = field;
        if (index === undefined) return [];
        const [value, stored] = [valueIn(row, name), valueIn(row, index)];
        if (value === undefined || stored === undefined) return [];
        return { row, rowId: shownId(this.#settings, row, id), field, index, value, stored };
      }),
    );
    const indexers = await this.#indexersOf(
      given.flatMap(({ field, value }) => (isText(value) ? field : [])),
      signal,
    );
    await Promise.all(
      given.map(async (cell) => {
        const { field, index, value, stored } = cell;
        if (stored === null && this.#settings.allowsPlaintext) return;
        const expected = isText(value) ? await indexers.get(field)?.(this.#normalized(cell, value)) : null;
        if (stored === expected) return;
        throw unreadable(this.#placeOf(cell, index), 'is not the index of the value beside it');
      }),
    );
  }

  async #indexersOf(fields: readonly Field[], signal: AbortSignal | undefined) {
    const indexers = new Map<Field, (text: string) => Promise<string>>();
    const indexes = this.#indexes;
    if (indexes === undefined) return indexers;
    for (const field of new Set(fields)) {
      indexers.set(field, await unlessAborted(() => indexes.of(field), signal));
    }
    return indexers;
  }

  /** Does the work once for each distinct data key, at most eight at a time. An error has the place of a value. */
  async #perDataKey<T>(
    cells: readonly StoredCell[],
    signal: AbortSignal | undefined,
    work: (wrapped: Uint8Array) => Promise<T>,
  ): Promise<ReadonlyMap<string, T>> {
    const distinct = new Map(cells.toReversed().map((cell) => [cell.dataKey, cell]));
    const done = new Map<string, T>();
    await eight([...distinct], async ([name, cell]) => {
      try {
        done.set(name, await unlessAborted(() => work(cell.parts.wrapped), signal));
      } catch (error) {
        throw located(error, this.#placeOf(cell));
      }
    });
    return done;
  }

  #placeOf({ rowId, field }: Omit<Cell, 'row'>, column = field.name): Place {
    return { table: this.#settings.table, column, rowId };
  }

  /** Copies the rows, because the caller may change them during the call. */
  #copyRows(rows: readonly object[]): Row[] {
    const { table } = this.#settings;
    if (!Array.isArray(rows)) throw new TypeError(`rows of the table ${table} must be an array`);
    return rows.map((row) => ({ ...requireObject(`a row of the table ${table}`, row) }));
  }

  #readOptions(options: RowOptions, known: readonly string[]): RowOptions {
    const of = `of the table ${this.#settings.table}`;
    refuseUnknown('option', of, requireObject(`options ${of}`, options), known);
    return { id: options.id, signal: options.signal };
  }

  /** Returns a record in the encoding of the value that it replaces. */
  #stored(record: Bytes, before: unknown): string | Bytes {
    return isUint8Array(before) ? record : textOfRecord(record);
  }
}

const MUST_BE = {
  text: 'must be well-formed text',
  json: 'must be a value that JSON.stringify and JSON.parse do not change',
  bytes: 'must be a Uint8Array',
} as const;

const NOT_NORMALIZED = 'could not be normalized: normalize must return well-formed text, at once';

function isDataKeys(service: KeyService | DataKeys): service is DataKeys {
  return LENT in service;
}
