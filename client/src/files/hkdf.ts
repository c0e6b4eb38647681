import { type Bytes, utf8 } from './bytes.ts';

/** Returns 32 bytes, derived with HKDF-SHA-256 (RFC 5869). */
export async function hkdf(key: Uint8Array, salt: Uint8Array, info: string): Promise<Bytes> {
  const material = await crypto.subtle.importKey('raw', new Uint8Array(key), 'HKDF', false, ['deriveBits']);
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(salt), info: utf8(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, 256));
}
