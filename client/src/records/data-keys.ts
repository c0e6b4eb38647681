import { EncryptionServiceError } from '../errors.ts';
import { encodeBase64 } from '../files/base64.ts';
import { ascii, type Bytes, concat, isUint8Array } from '../files/bytes.ts';
import { readKeyId } from '../files/key-id.ts';
import type { KeyService } from '../files/key-service.ts';
import { thisMoment } from './age.ts';
import { BoundedCache } from './bounded-cache.ts';
import { ChunkedEncryption, KEY_LENGTH } from './chunked-encryption.ts';
import { type Limits, readLimits } from './limits.ts';
import { encodeRecord, invalidRecord, parseRecord } from './record.ts';

const NONE = new Uint8Array();

/** The values to which a record is bound, which must be `Uint8Array`, and a signal that cancels the call. */
export interface RecordOptions {
  /** A value that similar records share, such as the table and column. Each context has separate data keys. */
  readonly context?: Uint8Array | undefined;
  /** A value that identifies the record, such as its primary key, so that nobody can swap records. */
  readonly recordId?: Uint8Array | undefined;
  /** Aborts the call: it fails with `aborted`, and the error's `cause` is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The caller's options, with copies of the bytes. */
interface OwnOptions {
  readonly context: Bytes | undefined;
  readonly recordId: Bytes;
  readonly signal: AbortSignal | undefined;
}

interface DataKey {
  /** The beginning of the records that the data key encrypts. */
  readonly head: Bytes;
  readonly cipher: ChunkedEncryption;
}

interface SealingKey {
  readonly dataKey: Promise<DataKey>;
  messages: number;
  bytes: number;
}

/** Under this name, `DataKeys` lends its service and its caches to other parts of the library, also of another copy. */
export const LENT = Symbol.for('encryption-service-client.data-keys.1');

/** What {@link DataKeys} lends. */
export interface Lent {
  readonly service: KeyService;
  /** Returns a function that makes a record of a plaintext and a record id. */
  sealer(keyId: string, context: Bytes): (plaintext: Bytes, recordId: Bytes) => Promise<Bytes>;
  /** Returns the cipher of a wrapped data key. Unwraps the data key unless it is cached. */
  open(keyId: string, wrapped: Uint8Array, context: Bytes): Promise<ChunkedEncryption>;
  /** Returns another key by its name, which is cached and forgotten as data keys are. `make` gets it. */
  keep(name: string, make: () => Promise<Bytes>): Promise<Bytes>;
}

/**
 * Encrypts many small values, such as a column of a table, with few calls to the service. Caches data keys and uses
 * each for many records. A record contains its wrapped data key and is 160 to 210 bytes longer than its plaintext.
 * Each record has a separate key, derived from the data key and a random salt.
 */
export class DataKeys {
  readonly #service: KeyService;
  readonly #limits: ReturnType<typeof readLimits>;
  readonly #sealing: BoundedCache<SealingKey>;
  readonly #opening: BoundedCache<Promise<DataKey>>;
  readonly #kept: BoundedCache<Promise<Bytes>>;
  /** How often the caches were cleared. */
  #cleared = 0;

  /** Throws a `RangeError` if a limit is not a positive whole number. */
  constructor(service: KeyService, limits: Limits = {}) {
    this.#service = service;
    this.#limits = readLimits(limits);
    const { maxAgeMs, maxKeys } = this.#limits;
    this.#sealing = new BoundedCache(maxAgeMs, maxKeys);
    this.#opening = new BoundedCache(maxAgeMs, maxKeys);
    this.#kept = new BoundedCache(maxAgeMs, maxKeys);
  }

  /** @internal */
  get [LENT](): Lent {
    return {
      service: this.#service,
      sealer: (keyId, context) => this.#sealer(keyId, context),
      open: async (keyId, wrapped, context) => {
        const { cipher } = await this.#openingKey(keyId, wrapped, { context, recordId: NONE, signal: undefined });
        return cipher;
      },
      keep: (name, make) => this.#keep(name, make),
    };
  }

  /**
   * Returns an encrypted record. Fails with the errors of `wrap`, with a `TypeError` if `keyId` is not a UUID, or with
   * a `RangeError` if the plaintext is longer than `maxBytes`.
   */
  async encrypt(keyId: string, plaintext: Uint8Array, options: RecordOptions = {}): Promise<Bytes> {
    const contents = copy('plaintext', plaintext);
    const own = copyOptions(options);
    const id = readKeyId(keyId);
    return unlessAborted(() => this.#sealer(id, own.context)(contents, own.recordId), own.signal);
  }

  /**
   * Returns the plaintext of a record. Fails with a `FormatError` `invalid_record`, or with the errors of `unwrap`,
   * such as `invalid_ciphertext` for a wrong context.
   */
  async decrypt(record: Uint8Array, options: RecordOptions = {}): Promise<Bytes> {
    const parts = copy('record', record);
    const own = copyOptions(options);
    const { keyId, wrapped, sealed } = parseRecord(parts);
    const { cipher } = await unlessAborted(() => this.#openingKey(keyId, wrapped, own), own.signal);
    const plaintext = await cipher.open(sealed, bindingOf(own));
    if (plaintext === undefined) throw invalidRecord();
    return plaintext;
  }

  /**
   * Rewraps a record's data key with the current version of the key. Does not decrypt the contents. Each record needs
   * one operation. Fails with a `FormatError` `invalid_record`, or with the errors of `rewrap`.
   */
  async rewrap(record: Uint8Array, options: RecordOptions = {}): Promise<Bytes> {
    const parts = copy('record', record);
    const own = copyOptions(options);
    const { keyId, wrapped, sealed } = parseRecord(parts);
    // Nothing is remembered or shared: a rotation between two calls must reach the second one.
    const call = { ciphertext: wrapped, ...aadOf(own) };
    const rewrap = () => this.#service.rewrap(keyId, call, { signal: own.signal });
    return encodeRecord({ keyId, wrapped: (await unlessAborted(rewrap, own.signal)).ciphertext, sealed });
  }

  /**
   * Clears the cache of data keys. Call it after a rotation, so that new records use the new key version, and after a
   * deletion. It does not reach other `DataKeys` or processes: each uses its cached data keys for up to `maxAgeMs`.
   */
  forget(): void {
    this.#cleared += 1;
    this.#sealing.clear();
    this.#opening.clear();
    this.#kept.clear();
  }

  #sealer(keyId: string, context: Bytes | undefined): (plaintext: Bytes, recordId: Bytes) => Promise<Bytes> {
    const options = { context, recordId: NONE, signal: undefined };
    const name = nameOf(keyId, options);
    return async (plaintext, recordId) => {
      const { head, cipher } = await this.#sealingKey(name, keyId, plaintext.length, options);
      return concat(head, await cipher.seal(plaintext, bindingOf({ context, recordId })));
    };
  }

  /** Returns the data key for new records. Concurrent callers wait for the same new data key. */
  #sealingKey(name: string, keyId: string, length: number, options: OwnOptions): Promise<DataKey> {
    const { maxMessages, maxBytes } = this.#limits;
    if (length > maxBytes) throw new RangeError(`a record must be at most ${maxBytes} bytes`);
    let key = this.#sealing.get(name);
    if (key === undefined || key.messages >= maxMessages || key.bytes + length > maxBytes) {
      key = { dataKey: this.#wrap(keyId, options), messages: 0, bytes: 0 };
      this.#sealing.set(name, key);
      forgetFailed(this.#sealing, name, key, key.dataKey);
    }
    key.messages++;
    key.bytes += length;
    return key.dataKey;
  }

  #openingKey(keyId: string, wrapped: Uint8Array, options: OwnOptions): Promise<DataKey> {
    const name = nameOf(keyId, options, wrapped);
    const cached = this.#opening.get(name);
    if (cached !== undefined) return cached;
    const dataKey = this.#unwrap(keyId, wrapped, options);
    this.#opening.set(name, dataKey);
    forgetFailed(this.#opening, name, dataKey, dataKey);
    return dataKey;
  }

  #keep(name: string, make: () => Promise<Bytes>): Promise<Bytes> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept;
    const made = make();
    this.#kept.set(name, made);
    forgetFailed(this.#kept, name, made, made);
    return made;
  }

  async #wrap(keyId: string, options: OwnOptions): Promise<DataKey> {
    const [madeAt, cleared] = [thisMoment(), this.#cleared];
    const { wrapped, dek } = await this.#service.wrap(keyId, aadOf(options));
    if (dek === undefined) throw new EncryptionServiceError('invalid_answer', 'the response contains no data key');
    const dataKey = { head: headOf(keyId, wrapped), cipher: new ChunkedEncryption(dek) };
    // The application may have forgotten its data keys while the service made this one.
    if (cleared === this.#cleared) this.#opening.set(nameOf(keyId, options, wrapped), Promise.resolve(dataKey), madeAt);
    return dataKey;
  }

  async #unwrap(keyId: string, wrapped: Uint8Array, options: OwnOptions): Promise<DataKey> {
    const { dek } = await this.#service.unwrap(keyId, { wrapped, ...aadOf(options) });
    if (dek.length !== KEY_LENGTH) throw invalidRecord();
    return { head: headOf(keyId, wrapped), cipher: new ChunkedEncryption(dek) };
  }
}

/** Copies the bytes, which the caller may change during the call. Throws a `TypeError` unless it is a `Uint8Array`. */
function copy(name: string, bytes: Uint8Array): Bytes {
  if (!isUint8Array(bytes)) throw new TypeError(`${name} must be a Uint8Array`);
  return new Uint8Array(bytes);
}

function copyOptions({ context, recordId = NONE, signal }: RecordOptions): OwnOptions {
  return {
    context: context === undefined ? undefined : copy('context', context),
    recordId: copy('recordId', recordId),
    signal,
  };
}

/** Removes a data key from the cache if creating it fails. */
function forgetFailed<Value>(cache: BoundedCache<Value>, name: string, value: Value, made: Promise<unknown>): void {
  made.catch(() => cache.delete(name, value));
}

function aborted({ reason }: AbortSignal): EncryptionServiceError {
  return new EncryptionServiceError('aborted', 'the call was aborted', { cause: reason });
}

/**
 * Does the work and returns its result, unless this caller's signal is aborted already. If it is aborted later, rejects,
 * but the work continues for other callers.
 */
export async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work();
  if (signal.aborted) throw aborted(signal);
  let abort = () => {};
  const ended = new Promise<never>((_, reject) => {
    abort = () => reject(aborted(signal));
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([ended, work()]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function headOf(keyId: string, wrapped: Uint8Array): Bytes {
  return encodeRecord({ keyId, wrapped, sealed: NONE });
}

/** The name of a data key in the cache: key id, context and, for decryption, the wrapped data key. */
function nameOf(keyId: string, { context }: OwnOptions, wrapped: Uint8Array = NONE): string {
  return `${keyId} ${ascii(encodeBase64(context ?? NONE))} ${ascii(encodeBase64(wrapped))}`;
}

/** The bytes that a record is bound to: the context's length in four bytes, the context, and the record id. */
export function bindingOf({ context = NONE, recordId }: Pick<OwnOptions, 'context' | 'recordId'>): Bytes {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, context.length);
  return concat(length, context, recordId);
}

function aadOf({ context }: OwnOptions): { readonly aad?: Uint8Array } {
  return context === undefined ? {} : { aad: context };
}
