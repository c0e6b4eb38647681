import { z } from 'zod';
import { binary } from '../../shared/crypto/fields.ts';
import type { Encrypted } from '../../shared/keys/cipher.ts';

/** The answer of `encrypt` and `rewrap`. */
export const ciphertextAnswer = z
  .object({ ciphertext: binary.describe('The ciphertext. Store it unchanged.') })
  .meta({ id: 'Ciphertext' });

export function viewCiphertext({ ciphertext }: Encrypted): z.input<typeof ciphertextAnswer> {
  return { ciphertext: ciphertext.toString('base64') };
}
