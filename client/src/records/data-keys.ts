import { EncryptionServiceError } from '../errors.ts';
import { encodeBase64 } from '../files/base64.ts';
import { ascii, type Bytes, concat } from '../files/bytes.ts';
import { readKeyId } from '../files/key-id.ts';
import type { KeyService } from '../files/key-service.ts';
import { BoundedCache } from './bounded-cache.ts';
import { ChunkedEncryption, KEY_LENGTH } from './chunked-encryption.ts';
import { type Limits, readLimits } from './limits.ts';
import { encodeRecord, invalidRecord, parseRecord } from './record.ts';

const NONE = new Uint8Array();

/** What a record is bound to. */
export interface RecordOptions {
  /**
   * What records of one kind share, such as the name of their table and column. Each context has data keys of its own,
   * and is the `aad` that they are wrapped with.
   */
  readonly context?: Uint8Array | undefined;
  /** What tells the record from others of its kind, such as its primary key, so that none passes for another. */
  readonly recordId?: Uint8Array | undefined;
  /** Ends the waiting, with `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

/** A data key in use. */
interface DataKey {
  readonly wrapped: Uint8Array;
  readonly cipher: ChunkedEncryption;
}

/** A data key that records are encrypted under, with what it was used for. */
interface SealingKey {
  readonly dataKey: Promise<DataKey>;
  messages: number;
  bytes: number;
}

/**
 * Encrypts many small values, such as a column of a table, with few operations of the service: data keys that it wraps are
 * kept and used for many records. A record carries its wrapped data key, so it is opened anywhere, some 160 to 210 bytes
 * longer than its contents. Each is encrypted under a key of its own, derived from the data key and a random salt.
 */
export class DataKeys {
  readonly #service: KeyService;
  readonly #limits: ReturnType<typeof readLimits>;
  readonly #sealing: BoundedCache<SealingKey>;
  readonly #opening: BoundedCache<Promise<DataKey>>;
  readonly #rewrapped: BoundedCache<Promise<Uint8Array>>;

  /** Throws a `RangeError` for a limit that is not a positive whole number. */
  constructor(service: KeyService, limits: Limits = {}) {
    this.#service = service;
    this.#limits = readLimits(limits);
    const { maxAgeMs, maxKeys } = this.#limits;
    this.#sealing = new BoundedCache(maxAgeMs, maxKeys);
    this.#opening = new BoundedCache(maxAgeMs, maxKeys);
    this.#rewrapped = new BoundedCache(maxAgeMs, maxKeys);
  }

  /**
   * Encrypts a record under a key of the service. Fails as `wrap` does; with a `TypeError` where `keyId` is no UUID, and a
   * `RangeError` where the plaintext is longer than `maxBytes`.
   */
  async encrypt(keyId: string, plaintext: Uint8Array, options: RecordOptions = {}): Promise<Bytes> {
    const id = readKeyId(keyId);
    const { wrapped, cipher } = await unlessAborted(this.#sealingKey(id, plaintext.length, options), options.signal);
    const sealed = await cipher.seal(plaintext, bindingOf(options));
    return encodeRecord({ keyId: id, wrapped, sealed });
  }

  /**
   * The contents of a record, all of them authenticated. Fails with a `FormatError` `invalid_record`, or as `unwrap` does: a
   * record with another context is `invalid_ciphertext`.
   */
  async decrypt(record: Uint8Array, options: RecordOptions = {}): Promise<Bytes> {
    const { keyId, wrapped, sealed } = parseRecord(record);
    const name = nameOf(keyId, options, wrapped);
    const kept = remember(this.#opening, name, () => this.#unwrap(keyId, wrapped, options));
    const { cipher } = await unlessAborted(kept, options.signal);
    const plaintext = await cipher.open(sealed, bindingOf(options));
    if (plaintext === undefined) throw invalidRecord();
    return plaintext;
  }

  /**
   * The record with its data key wrapped under the current version of the service's key, as is needed after a rotation;
   * its contents are copied, not opened. Records under one data key take one operation together, as long as that is
   * remembered. Fails with a `FormatError` `invalid_record`, or as `rewrap` does.
   */
  async rewrap(record: Uint8Array, options: RecordOptions = {}): Promise<Bytes> {
    const { keyId, wrapped, sealed } = parseRecord(record);
    const rewrapped = remember(this.#rewrapped, nameOf(keyId, options, wrapped), async () => {
      const { ciphertext } = await this.#service.rewrap(keyId, { ciphertext: wrapped, ...aadOf(options) });
      return ciphertext;
    });
    return encodeRecord({ keyId, wrapped: await unlessAborted(rewrapped, options.signal), sealed });
  }

  /** Forgets every data key, and what was rewrapped. After a rotation, records are under the new version from here on. */
  forget(): void {
    this.#sealing.clear();
    this.#opening.clear();
    this.#rewrapped.clear();
  }

  /** The data key for a record of that length. Who asks while it is being made waits for the same. */
  #sealingKey(keyId: string, length: number, options: RecordOptions): Promise<DataKey> {
    const { maxMessages, maxBytes } = this.#limits;
    if (length > maxBytes) throw new RangeError(`a record may have ${maxBytes} bytes`);
    const name = nameOf(keyId, options);
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

  async #wrap(keyId: string, options: RecordOptions): Promise<DataKey> {
    const { wrapped, dek } = await this.#service.wrap(keyId, aadOf(options));
    if (dek === undefined) throw new EncryptionServiceError('invalid_answer', 'the service answered no data key');
    const dataKey = { wrapped, cipher: new ChunkedEncryption(dek) };
    this.#opening.set(nameOf(keyId, options, wrapped), Promise.resolve(dataKey));
    return dataKey;
  }

  async #unwrap(keyId: string, wrapped: Uint8Array, options: RecordOptions): Promise<DataKey> {
    const { dek } = await this.#service.unwrap(keyId, { wrapped, ...aadOf(options) });
    if (dek.length !== KEY_LENGTH) throw invalidRecord();
    return { wrapped, cipher: new ChunkedEncryption(dek) };
  }
}

function remember<T>(cache: BoundedCache<Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const kept = cache.get(name);
  if (kept !== undefined) return kept;
  const made = make();
  cache.set(name, made);
  forgetFailed(cache, name, made, made);
  return made;
}

/** Takes care that a failure is not remembered. */
function forgetFailed<Value>(cache: BoundedCache<Value>, name: string, value: Value, made: Promise<unknown>): void {
  made.catch(() => cache.delete(name, value));
}

/** Ends the waiting of one caller; what it waits for goes on for the others. */
async function unlessAborted<T>(made: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return made;
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(new EncryptionServiceError('aborted', 'the call was aborted'));
  });
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([aborted, made]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What tells data keys apart: key and context, and where it is one of many, the wrapped data key. */
function nameOf(keyId: string, { context }: RecordOptions, wrapped: Uint8Array = NONE): string {
  return `${keyId} ${ascii(encodeBase64(context ?? NONE))} ${ascii(encodeBase64(wrapped))}`;
}

/** What a record's contents are bound to: the context's length in four bytes, the context, and the record's id. */
function bindingOf({ context = NONE, recordId = NONE }: RecordOptions): Bytes {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, context.length);
  return concat(length, context, recordId);
}

function aadOf({ context }: RecordOptions): { readonly aad?: Uint8Array } {
  return context === undefined ? {} : { aad: context };
}
