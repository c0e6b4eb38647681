import { z } from 'zod';
import { binary, decodeAad, decodeField, optionalAad } from '../../shared/crypto/fields.ts';
import { refuseAad } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import type { Cryptography } from '../../shared/http/operate.ts';
import { backendOf, decrypt, type Encrypted, encrypt } from '../../shared/keys/cipher.ts';
import { ciphertextAnswer, viewCiphertext } from './answers.ts';
import { cryptoRoute } from './crypto-route.ts';

const fields = z.object({
  ciphertext: binary.describe('The ciphertext. The key version that encrypted it must be enabled.'),
  aad: optionalAad,
});

/** Re-encrypts a ciphertext under the key's current primary version. */
export const rewrapping: Cryptography<z.output<typeof fields>, Encrypted> = {
  operation: 'rewrap',
  makesCiphertext: true,
  refuses: ['invalid_ciphertext'],
  prepare({ key, secrets }, input, aadField) {
    const ciphertext = decodeField('ciphertext', input.ciphertext);
    const aad = decodeAad(input.aad, aadField);
    refuseAad(aad, backendOf(key), aadField);
    return async (services) => {
      const decrypted = await decrypt(services, key, ciphertext, aad);
      const plaintext = secrets.keep(decrypted.plaintext);
      return { encrypt: (latest) => encrypt(services, latest, plaintext, aad), usedOlder: decrypted.usedOlder };
    };
  },
};

export const rewrapRoute = cryptoRoute(rewrapping, {
  summary: 'Re-encrypt a value under the current primary version',
  description:
    'Decrypts a value and encrypts it again under the primary version, without returning the plaintext. Counts as one operation.',
  takes: jsonBody(fields),
  answer: ciphertextAnswer,
  view: viewCiphertext,
});
