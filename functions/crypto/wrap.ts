import { z } from 'zod';
import { makeDek } from '../../shared/crypto/data-key-cache.ts';
import { binary, binaryUpTo, decodeAad, decodeField, optionalAad } from '../../shared/crypto/fields.ts';
import { refuseAad, refuseDek, refuseHsmTotal } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import type { Cryptography } from '../../shared/http/operate.ts';
import { backendOf, type Encrypted, encrypt } from '../../shared/keys/cipher.ts';
import { cryptoRoute } from './crypto-route.ts';

const fields = z.object({
  dek: binaryUpTo(32).nullish().describe('16, 24 or 32 bytes, in base64. The default is 32 new random bytes.'),
  aad: optionalAad,
});

/** The data key to wrap, or the length in bytes of a new one. */
type Input = z.output<typeof fields> & { readonly newBytes?: number };

/** A wrapped data key. If the data key is new, also its plaintext in base64. */
export type WrappedDek = Encrypted & { readonly newDek: string | undefined };

/** Wraps a data key of 16, 24 or 32 bytes. The result has the format of `encrypt`, so `decrypt` accepts it too. */
export const wrapping: Cryptography<Input, WrappedDek> = {
  operation: 'wrap',
  makesCiphertext: true,
  refuses: ['invalid_dek_length'],
  prepare({ key, secrets }, input, aadField) {
    const isNew = input.dek == null;
    const dek = secrets.keep(input.dek == null ? makeDek(input.newBytes) : decodeField('dek', input.dek));
    const aad = decodeAad(input.aad, aadField);
    refuseDek(dek);
    refuseAad(aad, backendOf(key), aadField);
    refuseHsmTotal(key.tier, 'dek', dek, aad);
    const newDek = isNew ? dek.toString('base64') : undefined;
    return async (services) => ({
      encrypt: async (latest) => {
        const encrypted = await encrypt(services, latest, dek, aad);
        return encrypted && { ...encrypted, newDek };
      },
      usedOlder: false,
    });
  },
};

export const wrapRoute = cryptoRoute(wrapping, {
  summary: 'Wrap a data key',
  description:
    'Wraps a data key, or creates one and wraps it. Counts as one operation. Store the wrapped key, and encrypt data with the data key yourself.',
  takes: jsonBody(fields),
  answer: z
    .object({
      wrapped: binary.describe('The wrapped key.'),
      dek: binary.optional().describe('The new data key. Present only if the request had none.'),
    })
    .meta({ id: 'Wrapped' }),
  view: ({ ciphertext, newDek }) => ({ wrapped: ciphertext.toString('base64'), dek: newDek }),
});
