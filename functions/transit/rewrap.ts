import { z } from 'zod';
import { optionalBinary } from '../../shared/crypto/fields.ts';
import { rewrapping } from '../crypto/rewrap.ts';
import { readSealed, sealedAnswer, viewSealed } from './ciphertext.ts';
import { onValues, translated } from './values.ts';

const shape = z.object({ ciphertext: z.string(), associated_data: optionalBinary });

export const rewrapRoute = onValues({
  summary: 'Transit: re-encrypt a value, or a batch, under the current primary version',
  work: translated(rewrapping, ({ ciphertext, associated_data }: z.output<typeof shape>) => {
    return { ciphertext: readSealed(ciphertext), aad: associated_data };
  }),
  shape,
  one: sealedAnswer,
  view: viewSealed,
});
