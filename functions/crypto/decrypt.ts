import { z } from 'zod';
import { binary, decodeAad, decodeField, optionalAad } from '../../shared/crypto/fields.ts';
import { refuseAad } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import type { Cryptography } from '../../shared/http/operate.ts';
import { backendOf, decrypt } from '../../shared/keys/cipher.ts';
import { cryptoRoute } from './crypto-route.ts';

const fields = z.object({
  ciphertext: binary.describe(
    'Ciphertext from `encrypt`, `rewrap` or `wrap`. The key version that encrypted it must be enabled.',
  ),
  aad: optionalAad,
});
const plaintextAnswer = z.object({ plaintext: binary.describe('The decrypted value.') }).meta({ id: 'Plaintext' });

/** Decrypts with any enabled version of the key, even if billing is not in good standing. */
export const decryption: Cryptography<z.output<typeof fields>, z.input<typeof plaintextAnswer>> = {
  operation: 'decrypt',
  makesCiphertext: false,
  refuses: ['invalid_ciphertext'],
  prepare({ key, secrets }, input, aadField) {
    const ciphertext = decodeField('ciphertext', input.ciphertext);
    const aad = decodeAad(input.aad, aadField);
    refuseAad(aad, backendOf(key), aadField);
    return async (services) => {
      const { plaintext, usedOlder } = await decrypt(services, key, ciphertext, aad);
      return { result: { plaintext: secrets.keep(plaintext).toString('base64') }, usedOlder };
    };
  },
};

export const decryptRoute = cryptoRoute(decryption, {
  summary: 'Decrypt a value',
  description: 'Decrypts ciphertext under the key version that encrypted it. Counts as one operation.',
  takes: jsonBody(fields),
  answer: plaintextAnswer,
  view: (answer) => answer,
});
