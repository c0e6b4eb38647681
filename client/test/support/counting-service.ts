import { randomBytes } from 'node:crypto';
import { EncryptionServiceError } from '../../src/errors.ts';
import type { KeyService } from '../../src/files/key-service.ts';

export const KEY_ID = '0f8c9a52-5a0e-4a51-9d5e-0c1f6f2f7a10';
export const OTHER_KEY_ID = '7d1f4b02-3c8e-4b5a-8f60-2a9b1c3d4e5f';

/** A service of a key of 81 or 68 wrapped bytes that keeps data keys in memory and notes its calls. */
export class CountingService implements KeyService {
  readonly calls: string[] = [];
  readonly #keys = new Map<string, { readonly dek: Uint8Array; readonly bound: string }>();
  readonly #tier: 'software' | 'wrapped';
  version = 1;

  constructor(tier: 'software' | 'wrapped' = 'software') {
    this.#tier = tier;
  }

  async getKey(): Promise<{ readonly tier: string }> {
    return { tier: this.#tier };
  }

  async wrap(keyId: string, { dek = randomBytes(32), aad }: { readonly dek?: Uint8Array; readonly aad?: Uint8Array }) {
    this.calls.push('wrap');
    return { wrapped: this.#keep(keyId, dek, aad), dek: new Uint8Array(dek) };
  }

  async unwrap(keyId: string, { wrapped, aad }: { readonly wrapped: Uint8Array; readonly aad?: Uint8Array }) {
    this.calls.push('unwrap');
    return { dek: this.#open(keyId, wrapped, aad) };
  }

  async rewrap(keyId: string, { ciphertext, aad }: { readonly ciphertext: Uint8Array; readonly aad?: Uint8Array }) {
    this.calls.push('rewrap');
    return { ciphertext: this.#keep(keyId, this.#open(keyId, ciphertext, aad), aad) };
  }

  #keep(keyId: string, dek: Uint8Array, aad?: Uint8Array): Uint8Array {
    const wrapped = randomBytes(this.#tier === 'wrapped' ? 68 : 81);
    wrapped.writeUInt32BE(this.version);
    wrapped.writeUInt8(1);
    this.#keys.set(wrapped.toString('hex'), { dek: new Uint8Array(dek), bound: boundTo(keyId, aad) });
    return new Uint8Array(wrapped);
  }

  #open(keyId: string, wrapped: Uint8Array, aad?: Uint8Array): Uint8Array {
    const found = this.#keys.get(Buffer.from(wrapped).toString('hex'));
    if (found?.bound === boundTo(keyId, aad)) return new Uint8Array(found.dek);
    throw new EncryptionServiceError('invalid_ciphertext', 'the ciphertext cannot be decrypted', { status: 400 });
  }
}

const boundTo = (keyId: string, aad: Uint8Array = new Uint8Array()): string =>
  `${keyId} ${Buffer.from(aad).toString('hex')}`;
