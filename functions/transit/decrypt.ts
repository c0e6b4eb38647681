import { z } from 'zod';
import { binary } from '../../shared/crypto/fields.ts';
import { decryption } from '../crypto/decrypt.ts';
import { associatedDataField, ciphertextField, readSealed } from './ciphertext.ts';
import { onValues, translated } from './values.ts';

const shape = z.object({ ciphertext: ciphertextField, associated_data: associatedDataField });

/**
 * Whether the field is `key_version` and equals the version in the ciphertext. Such a field is harmless: many clients
 * send back the whole answer of `encrypt`.
 */
function namesOwnVersion(fields: object, name: string): boolean {
  const [ciphertext, version]: unknown[] = [Reflect.get(fields, 'ciphertext'), Reflect.get(fields, name)];
  const isVersion = name === 'key_version' && (typeof version === 'number' || typeof version === 'string');
  return isVersion && typeof ciphertext === 'string' && ciphertext.startsWith(`vault:v${version}:`);
}

export const decryptRoute = onValues({
  summary: 'Transit: decrypt a value or a batch',
  description: 'Decrypts one value, or up to 100 values in `batch_input`. Each value counts as one operation.',
  cryptography: translated(decryption, ({ ciphertext, associated_data }: z.output<typeof shape>) => {
    return { ciphertext: readSealed(ciphertext), aad: associated_data };
  }),
  shape,
  isSatisfied: namesOwnVersion,
  one: z.object({ plaintext: binary.describe('The decrypted value.') }),
  example: { plaintext: 'SGVsbG8sIHdvcmxk' },
  view: (answer) => answer,
});
