import { z } from 'zod';
import { rewrapping } from '../crypto/rewrap.ts';
import {
  associatedDataField,
  ciphertextField,
  ENCRYPTED_EXAMPLE,
  encryptedAnswer,
  readSealed,
  viewEncrypted,
} from './ciphertext.ts';
import { onValues, translated } from './values.ts';

const shape = z.object({ ciphertext: ciphertextField, associated_data: associatedDataField });

export const rewrapRoute = onValues({
  summary: 'Transit: re-encrypt a value or a batch under the current primary version',
  description:
    'Re-encrypts one value, or up to 100 values in `batch_input`, under the primary version. Each value counts as one operation.',
  cryptography: translated(rewrapping, ({ ciphertext, associated_data }: z.output<typeof shape>) => {
    return { ciphertext: readSealed(ciphertext), aad: associated_data };
  }),
  shape,
  one: encryptedAnswer,
  example: { ...ENCRYPTED_EXAMPLE, key_version: 2 },
  view: viewEncrypted,
});
