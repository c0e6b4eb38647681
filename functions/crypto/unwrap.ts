import { z } from 'zod';
import { binary, decodeAad, decodeField, optionalAad } from '../../shared/crypto/fields.ts';
import { isDek, refuseAad } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import type { Cryptography } from '../../shared/http/operate.ts';
import { backendOf, decrypt, invalidCiphertext } from '../../shared/keys/cipher.ts';
import { cryptoRoute } from './crypto-route.ts';

const fields = z.object({
  wrapped: binary.describe('The wrapped key from `wrap`. The key version that wrapped it must be enabled.'),
  aad: optionalAad,
});
const dekAnswer = z.object({ dek: binary.describe('The data key: 16, 24 or 32 bytes.') }).meta({ id: 'Dek' });

/** Unwraps a data key. Throws `invalid_ciphertext` unless the decrypted value has 16, 24 or 32 bytes. */
const unwrapping: Cryptography<z.output<typeof fields>, z.input<typeof dekAnswer>> = {
  operation: 'unwrap',
  makesCiphertext: false,
  refuses: ['invalid_ciphertext'],
  prepare({ key, secrets }, input) {
    const wrapped = decodeField('wrapped', input.wrapped);
    const aad = decodeAad(input.aad);
    refuseAad(aad, backendOf(key));
    return async (services) => {
      const { plaintext, usedOlder } = await decrypt(services, key, wrapped, aad);
      const dek = secrets.keep(plaintext);
      if (!isDek(dek)) throw invalidCiphertext();
      return { result: { dek: dek.toString('base64') }, usedOlder };
    };
  },
};

export const unwrapRoute = cryptoRoute(unwrapping, {
  summary: 'Unwrap a data key',
  description: 'Returns the data key inside a wrapped key. Counts as one operation.',
  takes: jsonBody(fields),
  answer: dekAnswer,
  view: (answer) => answer,
});
