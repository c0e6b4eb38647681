import { z } from 'zod';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import type { Work } from '../../shared/http/specs.ts';
import { backendOf, type CipherNeeds, open } from '../../shared/keys/seal.ts';

const fields = z.object({ ciphertext: binary, aad: optionalBinary });
const plaintextAnswer = z.object({ plaintext: binary }).meta({ id: 'Plaintext' });
type Material = Record<'ciphertext' | 'aad', Buffer>;

/** Decrypting what encrypt or wrap made. */
export const decryption: Work<CipherNeeds, z.output<typeof fields>, Material, z.input<typeof plaintextAnswer>> = {
  operation: 'decrypt',
  makesCiphertext: false,
  refuses: ['invalid_ciphertext'],
  read({ key }, input, aadField) {
    const ciphertext = decodeField('ciphertext', input.ciphertext);
    const aad = decodeAad(input.aad, aadField);
    refuseAad(aad, backendOf(key), aadField);
    return { ciphertext, aad };
  },
  async perform(needs, { key, secrets }, { ciphertext, aad }) {
    const plaintext = secrets.keep(await open(needs, key, ciphertext, aad));
    return { plaintext: plaintext.toString('base64') };
  },
};

export const decryptRoute = meteredRoute({
  ...decryption,
  summary: 'Decrypt what encrypt or wrap made, under any version still enabled',
  takes: jsonBody(fields),
  answer: plaintextAnswer,
  view: (answer) => answer,
});
