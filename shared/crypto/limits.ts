import { ApiError } from '../errors.ts';
import type { Tier } from '../tiers.ts';

/** What encrypts: a data key in this process, or a CryptoKey in the KMS. */
export type Backend = 'data_key' | 'crypto_key';

export const PLAINTEXT_BYTES = 65_536;
const DEK_BYTES: readonly number[] = [16, 24, 32];
/** The longest aad in bytes. The KMS accepts 65,536 bytes, of which the tenant id needs 16. */
export const AAD_BYTES = { data_key: 65_536, crypto_key: 65_520 } as const;
/** An HSM accepts 8,192 bytes of plaintext and aad together, of which the tenant id needs 16. */
const HSM_BYTES = 8_176;

/** Throws `invalid_request` for 0 bytes, and `payload_too_large` above 64 KiB. */
export function refusePlaintext(plaintext: Uint8Array): void {
  if (plaintext.length === 0) throw new ApiError('invalid_request', 'plaintext must not be empty');
  refuseOver('plaintext', plaintext.length, PLAINTEXT_BYTES);
}

export function isDek(dek: Uint8Array): boolean {
  return DEK_BYTES.includes(dek.length);
}

/** Throws `invalid_dek_length` unless the data key has 16, 24 or 32 bytes. */
export function refuseDek(dek: Uint8Array): void {
  if (!isDek(dek)) throw new ApiError('invalid_dek_length', 'dek must be 16, 24 or 32 bytes');
}

/** Throws `payload_too_large` if the aad is too long. `name` is the field's name in the error message. */
export function refuseAad(aad: Uint8Array, backend: Backend, name = 'aad'): void {
  refuseOver(name, aad.length, AAD_BYTES[backend]);
}

/** Throws `payload_too_large` if an HSM cannot encrypt the secret together with the aad. */
export function refuseHsmTotal(tier: Tier, name: 'plaintext' | 'dek', secret: Uint8Array, aad: Uint8Array): void {
  if (tier === 'hsm') refuseOver(`${name} and aad together`, secret.length + aad.length, HSM_BYTES);
}

function refuseOver(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new ApiError('payload_too_large', `${what} must be at most ${limit} bytes`);
}
