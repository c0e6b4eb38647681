import { EncryptionServiceError } from '../errors.ts';
import { type Bytes, concat, isUint8Array, utf8 } from '../files/bytes.ts';
import type { KeyService } from '../files/key-service.ts';
import type { ChunkedEncryption } from '../records/chunked-encryption.ts';
import { bindingOf, DataKeys, LENT, type Lent } from '../records/data-keys.ts';
import { encodeRecord, type RecordParts } from '../records/record.ts';
import { eight, inParts } from './at-once.ts';
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
} from './options.ts';
import { located, type Place, unreadable, wrongValue } from './places.ts';
import { PREFIX, recordIn, textOfRecord, versionOf } from './record-text.ts';
import { readId, shownId, withLength } from './row-id.ts';
import type { DecryptedRow, EncryptedRow, RowOptions, RowsOptions } from './types.ts';
import { bytesOfValue, valueOfBytes } from './values.ts';

const ROW_OPTIONS = ['id', 'signal'];
const ROWS_OPTIONS = ['signal'];

type Row = Record<string, unknown>;

/** A value to encrypt or to read. */
interface Cell {
  readonly row: number;
  readonly field: Field;
  readonly place: Place;
  readonly recordId: Bytes;
}

interface PlainCell extends Cell {
  readonly plaintext: Bytes;
  /** What the field's index is computed from. */
  readonly indexed: string | undefined;
}

interface SealedCell extends Cell {
  readonly parts: RecordParts;
  /** The name of its data key in a call. */
  readonly dataKey: string;
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
    const [encrypted] = await this.#encrypt([row], readOptions(options, ROW_OPTIONS));
    return Object(encrypted);
  }

  /** Like {@link encryptRow}, for rows that have their ids. */
  async encryptRows<R extends object>(rows: readonly R[], options: RowsOptions = {}): Promise<EncryptedRow<R, F, E>[]> {
    return Object(await this.#encrypt([...rows], readOptions(options, ROWS_OPTIONS)));
  }

  /** Returns a new row whose declared fields are decrypted. Leaves out the columns of indexes, after checking them. */
  async decryptRow<R extends object>(row: R, options: RowOptions = {}): Promise<DecryptedRow<R, F>> {
    const [decrypted] = await this.#decrypt([row], readOptions(options, ROW_OPTIONS));
    return Object(decrypted);
  }

  /** Like {@link decryptRow}, for rows that have their ids. */
  async decryptRows<R extends object>(rows: readonly R[], options: RowsOptions = {}): Promise<DecryptedRow<R, F>[]> {
    return Object(await this.#decrypt([...rows], readOptions(options, ROWS_OPTIONS)));
  }

  /** Returns the text to search for in the column of the field's index, and `null` for `null`. */
  async index(name: keyof F & string, value: string | null): Promise<string | null> {
    const field = this.#settings.fields.find((one) => one.name === name);
    if (field?.index === undefined || this.#indexes === undefined)
      throw new TypeError(`${name} is no field with an index`);
    if (value === null) return null;
    if (!isText(value)) throw new TypeError(`a value of the field ${name} must be well-formed text`);
    const text = normalized(field, value);
    return (await this.#indexes.of(field))(text);
  }

  /**
   * Returns new rows whose data keys are rewrapped with the current version of the key. Opens no value. Throws a
   * `TypeError` for a `free` or `wrapped` key, whose rotation destroys what it rewraps.
   */
  async rewrapRows<R extends object>(rows: readonly R[], options: RowsOptions = {}): Promise<R[]> {
    const { signal } = readOptions(options, ROWS_OPTIONS);
    const copies = copyRows(rows);
    const cells = copies.flatMap((row, at) =>
      this.#settings.fields.flatMap((field) => {
        const parts = recordIn(row[field.name]);
        if (parts === undefined) return [];
        const place = this.#placeOf(row, field, undefined);
        this.#refuseOtherKey(parts, place);
        if (versionOf(parts.wrapped) !== null) {
          throw wrongValue(
            place,
            'has a data key of a free or wrapped key. A rotation of such a key needs decrypting all rows before it and encrypting them after it',
          );
        }
        return { row: at, field, parts, place, dataKey: nameOf(parts.wrapped) };
      }),
    );
    const { keyId } = this.#settings;
    const rewrapped = await this.#perDataKey(cells, signal, async (wrapped) => {
      const call = { ciphertext: wrapped, aad: this.#context };
      return (await this.#lent.service.rewrap(keyId, call, { signal })).ciphertext;
    });
    for (const { row, field, parts, dataKey } of cells) {
      const copy = copies[row];
      const wrapped = rewrapped.get(dataKey);
      if (copy === undefined || wrapped === undefined) continue;
      copy[field.name] = this.#stored(encodeRecord({ keyId, wrapped, sealed: parts.sealed }), copy[field.name]);
    }
    return Object(copies);
  }

  /** Forgets the data keys and the index key. Call it after a rotation. */
  forget(): void {
    this.#dataKeys.forget();
  }

  async #encrypt(rows: readonly object[], { id, signal }: RowOptions): Promise<Row[]> {
    const copies = copyRows(rows);
    const cells = copies.flatMap((row, at) => this.#readPlain(row, at, id));
    for (const row of copies) {
      for (const { name, index } of this.#settings.fields) {
        if (row[name] === undefined) delete row[name];
        else if (index !== undefined && row[name] === null) row[index] = null;
      }
    }
    if (cells.length === 0) return copies;
    const { keyId } = this.#settings;
    refuseAborted(signal);
    const indexers = await this.#indexersOf(
      cells.flatMap(({ field, indexed }) => (indexed === undefined ? [] : field)),
      signal,
    );
    const seal = this.#lent.sealer(keyId, this.#context);
    await unlessAborted(
      inParts(cells, async ({ row, field, plaintext, recordId, indexed }) => {
        const record = await seal(plaintext, recordId);
        const index = indexed === undefined ? undefined : await indexers.get(field)?.(indexed);
        const copy = copies[row];
        if (copy === undefined) return;
        copy[field.name] = this.#settings.encoding === 'text' ? textOfRecord(record) : record;
        if (field.index !== undefined) copy[field.index] = index;
      }),
      signal,
    );
    return copies;
  }

  /** Returns the values of a row that will be encrypted. Throws a `TypeError` for whatever is wrong with the row. */
  #readPlain(row: Row, at: number, id: RowOptions['id']): PlainCell[] {
    const { fields, keyId } = this.#settings;
    const present = fields.filter(({ name }) => row[name] !== undefined && row[name] !== null);
    const rowId = present.length === 0 && id === undefined ? new Uint8Array() : readId(this.#settings, row, id);
    for (const field of fields) {
      if (field.index !== undefined && row[field.index] !== undefined) {
        throw wrongValue(
          this.#placeOf(row, field, id, field.index),
          'is the column of an index, which encryption sets',
        );
      }
    }
    return present.map((field) => {
      const place = this.#placeOf(row, field, id);
      const value = row[field.name];
      const plaintext = bytesOfValue(field.type, value);
      if (plaintext === undefined) throw wrongValue(place, MUST_BE[field.type]);
      if (recordIn(value)?.keyId === keyId) throw wrongValue(place, 'is encrypted already');
      const indexed = field.index !== undefined && isText(value) ? this.#normalized(field, value, place) : undefined;
      return { row: at, field, place, plaintext, indexed, recordId: this.#recordId(field, rowId) };
    });
  }

  #normalized(field: Field, value: string, place: Place): string {
    try {
      return normalized(field, value);
    } catch {
      throw wrongValue(place, 'could not be normalized: normalize must return a well-formed text, at once');
    }
  }

  async #decrypt(rows: readonly object[], { id, signal }: RowOptions): Promise<Row[]> {
    const copies = copyRows(rows);
    const cells = copies.flatMap((row, at) => this.#readSealed(row, at, id));
    const { keyId } = this.#settings;
    refuseAborted(signal);
    const ciphers = await this.#perDataKey(cells, signal, (wrapped) => this.#lent.open(keyId, wrapped, this.#context));
    await inParts(cells, async (cell) => {
      const copy = copies[cell.row];
      const cipher = ciphers.get(cell.dataKey);
      if (copy !== undefined && cipher !== undefined) copy[cell.field.name] = await this.#open(cell, cipher);
    });
    await this.#checkIndexes(copies, id, signal);
    for (const row of copies) for (const { index } of this.#settings.fields) if (index !== undefined) delete row[index];
    return copies;
  }

  /** Returns the records of a row. Throws a `FormatError` for plaintext that is not allowed, or a record of another key. */
  #readSealed(row: Row, at: number, id: RowOptions['id']): SealedCell[] {
    const { fields, allowsPlaintext } = this.#settings;
    const present = fields.filter(({ name }) => row[name] !== undefined && row[name] !== null);
    const rowId = present.length === 0 && id === undefined ? new Uint8Array() : readId(this.#settings, row, id);
    return present.flatMap((field) => {
      const place = this.#placeOf(row, field, id);
      const value = row[field.name];
      const parts = recordIn(value);
      if (parts !== undefined) {
        this.#refuseOtherKey(parts, place);
        return { row: at, field, place, parts, dataKey: nameOf(parts.wrapped), recordId: this.#recordId(field, rowId) };
      }
      if (typeof value === 'string' && value.startsWith(PREFIX)) throw unreadable(place, 'is a damaged record');
      if (!allowsPlaintext) throw unreadable(place, 'is not encrypted');
      return [];
    });
  }

  async #open({ parts, recordId, place, field }: SealedCell, cipher: ChunkedEncryption): Promise<unknown> {
    const plaintext = await cipher.open(parts.sealed, bindingOf({ context: this.#context, recordId }));
    if (plaintext === undefined) throw unreadable(place, 'was altered, or moved from another row, column or table');
    try {
      return valueOfBytes(field.type, plaintext);
    } catch {
      throw unreadable(place, `does not have the type ${field.type}`);
    }
  }

  /** Compares the columns of indexes with the decrypted values beside them. */
  async #checkIndexes(rows: readonly Row[], id: RowOptions['id'], signal: AbortSignal | undefined): Promise<void> {
    const given = rows.flatMap((row) =>
      this.#settings.fields.flatMap((field) => {
        const { name, index } = field;
        const isGiven = index !== undefined && row[index] !== undefined && row[name] !== undefined;
        return isGiven ? { row, field, index, value: row[name], stored: row[index] } : [];
      }),
    );
    const indexers = await this.#indexersOf(
      given.flatMap(({ field, value }) => (isText(value) ? field : [])),
      signal,
    );
    await Promise.all(
      given.map(async ({ row, field, index, value, stored }) => {
        if (stored === null && this.#settings.allowsPlaintext) return;
        const expected = isText(value) ? await indexers.get(field)?.(normalized(field, value)) : null;
        if (stored === expected) return;
        throw unreadable(this.#placeOf(row, field, id, index), 'is not the index of the value beside it');
      }),
    );
  }

  async #indexersOf(fields: readonly Field[], signal: AbortSignal | undefined) {
    const indexers = new Map<Field, (text: string) => Promise<string>>();
    for (const field of new Set(fields)) {
      const made = this.#indexes?.of(field);
      if (made !== undefined) indexers.set(field, await unlessAborted(made, signal));
    }
    return indexers;
  }

  /** Does the work once for each distinct data key, at most eight at a time. An error has the place of a value. */
  async #perDataKey<T>(
    cells: readonly Pick<SealedCell, 'parts' | 'place' | 'dataKey'>[],
    signal: AbortSignal | undefined,
    work: (wrapped: Uint8Array) => Promise<T>,
  ): Promise<ReadonlyMap<string, T>> {
    const distinct = new Map(cells.toReversed().map((cell) => [cell.dataKey, cell]));
    const done = new Map<string, T>();
    await eight([...distinct], async ([name, { parts, place }]) => {
      try {
        done.set(name, await unlessAborted(work(parts.wrapped), signal));
      } catch (error) {
        throw located(error, place);
      }
    });
    return done;
  }

  #refuseOtherKey({ keyId }: RecordParts, place: Place): void {
    if (keyId !== this.#settings.keyId) throw unreadable(place, 'was encrypted with another key');
  }

  #recordId({ boundName }: Field, id: Bytes): Bytes {
    return concat(withLength(boundName), id);
  }

  #placeOf(row: Row, { name }: Field, id: RowOptions['id'], column = name): Place {
    return { table: this.#settings.table, column, rowId: shownId(this.#settings, row, id) };
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

function isDataKeys(service: KeyService | DataKeys): service is DataKeys {
  return LENT in service;
}

function readOptions(options: RowOptions, known: readonly string[]): RowOptions {
  refuseUnknown('option', requireObject('options', options), known);
  return { id: options.id, signal: options.signal };
}

/** Copies the rows, because the caller may change them during the call. */
function copyRows(rows: readonly object[]): Row[] {
  return rows.map((row) => ({ ...requireObject('a row', row) }));
}

function nameOf(wrapped: Uint8Array): string {
  return String.fromCharCode(...wrapped);
}

function aborted(signal: AbortSignal): EncryptionServiceError {
  return new EncryptionServiceError('aborted', 'the call was aborted', { cause: signal.reason });
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw aborted(signal);
}

/** Returns the result of the work. Rejects once the signal is aborted; the work goes on for other callers. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let abort = () => {};
  const ended = new Promise<never>((_, reject) => {
    abort = () => reject(aborted(signal));
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, ended]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
