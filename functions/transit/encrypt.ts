import { z } from 'zod';
import { binary, optionalBinary } from '../../shared/crypto/fields.ts';
import { encryption } from '../crypto/encrypt.ts';
import { sealedAnswer, viewSealed } from './ciphertext.ts';
import { onValues, translated } from './values.ts';

const shape = z.object({ plaintext: binary, associated_data: optionalBinary });

export const encryptRoute = onValues({
  summary: 'Transit: encrypt a value, or a batch',
  work: translated(encryption, ({ plaintext, associated_data }: z.output<typeof shape>) => {
    return { plaintext, aad: associated_data };
  }),
  shape,
  one: sealedAnswer,
  view: viewSealed,
});
