import { EncryptionServiceError } from '../errors.ts';
import { type Bytes, concat, utf8 } from '../files/bytes.ts';
import { hkdf } from '../files/hkdf.ts';
import { bytesOfKeyId, keyIdOfBytes, readKeyId } from '../files/key-id.ts';
import type { KeyService } from '../files/key-service.ts';
import type { Lent } from '../records/data-keys.ts';
import type { CallOptions } from '../types.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { type Field, isText } from './options.ts';

const PREFIX = 'esk-index1.';
const AAD = utf8('encryption-service index key v1');
const KEY_ID_LENGTH = 16;
const KEY_LENGTH = 32;

/** The operations that a new index key needs. */
export interface IndexKeyService extends KeyService {
  getKey(id: string, options?: CallOptions): Promise<{ readonly tier: string }>;
}

interface WrappedIndexKey {
  readonly keyId: string;
  readonly wrapped: Bytes;
}

/** Reads an index key for the application's configuration. Throws a `TypeError` if it is malformed. */
function parseIndexKey(text: string, what = 'indexKey'): WrappedIndexKey {
  const bytes = isText(text) && text.startsWith(PREFIX) ? fromBase64Url(text.slice(PREFIX.length)) : undefined;
  if (bytes === undefined || bytes.length <= KEY_ID_LENGTH) {
    throw new TypeError(`${what} must be a text from createIndexKey`);
  }
  return { keyId: keyIdOfBytes(bytes.subarray(0, KEY_ID_LENGTH)), wrapped: bytes.slice(KEY_ID_LENGTH) };
}

function encode({ keyId, wrapped }: { readonly keyId: string; readonly wrapped: Uint8Array }): string {
  return PREFIX + toBase64Url(concat(bytesOfKeyId(keyId), wrapped));
}

/**
 * Creates an index key, wrapped with a `software` or `hsm` key, as a text for the application's configuration. Anyone who
 * has the text and may `unwrap` with the key can search, and can guess values. Throws a `TypeError` for a key of another
 * tier, whose rotation would lose the index key.
 */
export async function createIndexKey(service: IndexKeyService, keyId: string): Promise<string> {
  const id = readKeyId(keyId);
  const { tier } = await service.getKey(id);
  if (tier !== 'software' && tier !== 'hsm') {
    throw new TypeError(`an index key needs a software or hsm key: a rotation of a ${tier} key would lose it`);
  }
  const { wrapped } = await service.wrap(id, { aad: AAD });
  return encode({ keyId: id, wrapped });
}

/** Rewraps an index key after a rotation of its key. The values of indexes stay the same. */
export async function rewrapIndexKey(service: KeyService, indexKey: string): Promise<string> {
  const { keyId, wrapped } = parseIndexKey(indexKey);
  const { ciphertext } = await service.rewrap(keyId, { ciphertext: wrapped, aad: AAD });
  return encode({ keyId, wrapped: ciphertext });
}

/** Computes the values of indexes. */
export class Indexes {
  readonly #lent: Lent;
  readonly #table: string;
  readonly #text: string;
  readonly #key: WrappedIndexKey;

  constructor(lent: Lent, table: string, indexKey: string) {
    this.#lent = lent;
    this.#table = table;
    this.#text = indexKey;
    this.#key = parseIndexKey(indexKey, `indexKey of the table ${table}`);
  }

  /** Returns a function that computes a field's values from what {@link normalized} returns. */
  async of({ boundName, bits }: Field): Promise<(text: string) => Promise<string>> {
    const name = `${this.#table}\0${boundName}`;
    // Only the index key is kept. A kept key that is derived from it would outlive it.
    const key = await this.#lent.keep(`index ${this.#text}`, () => this.#unwrap());
    const bytes = await hkdf(key, new Uint8Array(), `esk-index-1\0${name}`);
    const secret = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return async (text) => {
      const mac = new Uint8Array(await crypto.subtle.sign('HMAC', secret, utf8(text)));
      return Array.from(mac.subarray(0, bits / 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
    };
  }

  async #unwrap(): Promise<Bytes> {
    const { keyId, wrapped } = this.#key;
    const { dek } = await this.#lent.service.unwrap(keyId, { wrapped, aad: AAD });
    if (dek.length === KEY_LENGTH) return new Uint8Array(dek);
    throw new EncryptionServiceError('invalid_answer', 'the index key does not have 32 bytes');
  }
}

/** Returns the text that is indexed, or `undefined` if `normalize` throws or returns no well-formed text. */
export function normalized({ normalize }: Field, value: string): string | undefined {
  try {
    const text = normalize(value);
    return isText(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
