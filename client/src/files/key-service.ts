import type { CallOptions } from '../types.ts';

/** The three operations that files and records need. Every {@link EncryptionService} has them. */
export interface KeyService {
  wrap(
    keyId: string,
    input: { readonly dek?: Uint8Array; readonly aad?: Uint8Array },
    options?: CallOptions,
  ): Promise<{ readonly wrapped: Uint8Array; readonly dek?: Uint8Array }>;
  unwrap(
    keyId: string,
    input: { readonly wrapped: Uint8Array; readonly aad?: Uint8Array },
    options?: CallOptions,
  ): Promise<{ readonly dek: Uint8Array }>;
  rewrap(
    keyId: string,
    input: { readonly ciphertext: Uint8Array; readonly aad?: Uint8Array },
    options?: CallOptions,
  ): Promise<{ readonly ciphertext: Uint8Array }>;
}
