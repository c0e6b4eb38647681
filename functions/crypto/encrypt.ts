import { z } from 'zod';
import { decodeAad, decodeField, optionalAad, plaintextField } from '../../shared/crypto/fields.ts';
import { refuseAad, refuseHsmTotal, refusePlaintext } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import type { Cryptography } from '../../shared/http/operate.ts';
import { backendOf, type Encrypted, encrypt } from '../../shared/keys/cipher.ts';
import { ciphertextAnswer, viewCiphertext } from './answers.ts';
import { cryptoRoute } from './crypto-route.ts';

const fields = z.object({
  plaintext: plaintextField,
  aad: optionalAad,
});

/** Encrypts 1 byte to 64 KiB. With an `hsm` key, plaintext and aad together may have at most 8,176 bytes. */
export const encryption: Cryptography<z.output<typeof fields>, Encrypted> = {
  operation: 'encrypt',
  makesCiphertext: true,
  refuses: [],
  prepare({ key, secrets }, input, aadField) {
    const plaintext = secrets.keep(decodeField('plaintext', input.plaintext));
    const aad = decodeAad(input.aad, aadField);
    refusePlaintext(plaintext);
    refuseAad(aad, backendOf(key), aadField);
    refuseHsmTotal(key.tier, 'plaintext', plaintext, aad);
    return async (services) => ({ encrypt: (latest) => encrypt(services, latest, plaintext, aad), usedOlder: false });
  },
};

export const encryptRoute = cryptoRoute(encryption, {
  summary: 'Encrypt a value',
  description:
    'Encrypts a value under the primary version of the key. Counts as one operation. To decrypt, send the same `aad` again.',
  takes: jsonBody(fields),
  answer: ciphertextAnswer,
  view: viewCiphertext,
});
