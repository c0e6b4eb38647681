import { z } from 'zod';
import { optionalAad, plaintextField } from '../../shared/crypto/fields.ts';
import { encryption } from '../crypto/encrypt.ts';
import { namesKeyType } from './body.ts';
import { SEALED_EXAMPLE, sealedAnswer, viewSealed, withoutLineBreaks } from './ciphertext.ts';
import { onValues, translated } from './values.ts';

const shape = z.object({
  plaintext: plaintextField,
  associated_data: optionalAad,
});

export const encryptRoute = onValues({
  summary: 'Transit: encrypt a value or a batch',
  description: 'Encrypts one value, or up to 100 values in `batch_input`. Each value counts as one operation.',
  cryptography: translated(encryption, ({ plaintext, associated_data }: z.output<typeof shape>) => {
    return { plaintext: withoutLineBreaks(plaintext), aad: associated_data && withoutLineBreaks(associated_data) };
  }),
  shape,
  isSatisfied: namesKeyType,
  one: sealedAnswer,
  example: SEALED_EXAMPLE,
  view: viewSealed,
});
