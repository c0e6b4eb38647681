import { ApiError } from '../errors.ts';
import type { Tier } from '../keys/tiers.ts';

/** What performs a key's cryptography: this process with a data key, or the KMS. */
export type Backend = 'data_key' | 'crypto_key';

const PLAINTEXT_BYTES = 65_536;
const DEK_BYTES: readonly number[] = [16, 24, 32];
/** The KMS takes 65,536 bytes; 16 of them carry the tenant id. */
const AAD_BYTES = { data_key: 65_536, crypto_key: 65_520 } as const;
/** An HSM takes 8,192 bytes of plaintext and aad together; 16 of them carry the tenant id. */
const HSM_BYTES = 8_176;

/** Refuses an empty plaintext (`invalid_request`) and one over its limit (`payload_too_large`). */
export function refusePlaintext(plaintext: Uint8Array): void {
  if (plaintext.length === 0) throw new ApiError('invalid_request', 'plaintext must not be empty');
  refuseOver('plaintext', plaintext.length, PLAINTEXT_BYTES);
}

/** Whether a data key has the length of an AES key. */
export function isDek(dek: Uint8Array): boolean {
  return DEK_BYTES.includes(dek.length);
}

/** Refuses (`invalid_dek_length`) a data key that is not 16, 24 or 32 bytes. */
export function refuseDek(dek: Uint8Array): void {
  if (!isDek(dek)) throw new ApiError('invalid_dek_length', 'dek must be 16, 24 or 32 bytes');
}

/** Refuses (`payload_too_large`) aad over the backend's limit. */
export function refuseAad(aad: Uint8Array, backend: Backend): void {
  refuseOver('aad', aad.length, AAD_BYTES[backend]);
}

/** Refuses (`payload_too_large`) what an HSM does not take in one call: `secret`, named so, and aad together. */
export function refuseHsmTotal(tier: Tier, name: 'plaintext' | 'dek', secret: Uint8Array, aad: Uint8Array): void {
  if (tier === 'hsm') refuseOver(`${name} and aad together`, secret.length + aad.length, HSM_BYTES);
}

function refuseOver(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new ApiError('payload_too_large', `${what} must be at most ${limit} bytes`);
}
