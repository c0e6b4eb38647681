import { z } from 'zod';
import { binaryUpTo, optionalAad } from '../../shared/crypto/fields.ts';
import { PLAINTEXT_BYTES } from '../../shared/crypto/limits.ts';
import { encryption } from '../crypto/encrypt.ts';
import { sealedAnswer, viewSealed } from './ciphertext.ts';
import { onValues, translated } from './values.ts';

const shape = z.object({
  plaintext: binaryUpTo(PLAINTEXT_BYTES).describe('1 byte to 64 KiB before base64 encoding.'),
  associated_data: optionalAad,
});

export const encryptRoute = onValues({
  summary: 'Transit: encrypt a value or a batch',
  description:
    'Encrypts one value, or up to 100 values in `batch_input`. Requires an API key with the action `encrypt`, and each value counts as one operation.',
  cryptography: translated(encryption, ({ plaintext, associated_data }: z.output<typeof shape>) => {
    return { plaintext, aad: associated_data };
  }),
  shape,
  one: sealedAnswer,
  view: viewSealed,
});
