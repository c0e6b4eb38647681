import { z } from 'zod';
import { plaintextField } from '../../shared/crypto/fields.ts';
import { encryption } from '../crypto/encrypt.ts';
import { namesKeyType } from './body.ts';
import {
  associatedDataField,
  ENCRYPTED_EXAMPLE,
  encryptedAnswer,
  viewEncrypted,
  withoutLineBreaks,
} from './ciphertext.ts';
import { onValues, translated } from './values.ts';

const shape = z.object({
  plaintext: plaintextField.transform(withoutLineBreaks),
  associated_data: associatedDataField,
});

export const encryptRoute = onValues({
  summary: 'Transit: encrypt a value or a batch',
  description: 'Encrypts one value, or up to 100 values in `batch_input`. Each value counts as one operation.',
  cryptography: translated(encryption, ({ plaintext, associated_data }: z.output<typeof shape>) => {
    return { plaintext, aad: associated_data };
  }),
  shape,
  isSatisfied: namesKeyType,
  one: encryptedAnswer,
  example: ENCRYPTED_EXAMPLE,
  view: viewEncrypted,
});
