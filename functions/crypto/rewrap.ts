import { z } from 'zod';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import type { Work } from '../../shared/http/specs.ts';
import { backendOf, type CipherNeeds, open, type Sealed, seal } from '../../shared/keys/seal.ts';
import { ciphertextAnswer, viewCiphertext } from './answers.ts';

const fields = z.object({ ciphertext: binary, aad: optionalBinary });
type Material = Record<'ciphertext' | 'aad', Buffer>;

/** Encrypting anew under the current primary version. */
export const rewrapping: Work<CipherNeeds, z.output<typeof fields>, Material, Sealed> = {
  operation: 'rewrap',
  makesCiphertext: true,
  refuses: ['invalid_ciphertext'],
  read({ key }, input, aadField) {
    const ciphertext = decodeField('ciphertext', input.ciphertext);
    const aad = decodeAad(input.aad, aadField);
    refuseAad(aad, backendOf(key), aadField);
    return { ciphertext, aad };
  },
  async perform(needs, { key, secrets }, { ciphertext, aad }) {
    const plaintext = secrets.keep(await open(needs, key, ciphertext, aad));
    return seal(needs, key, plaintext, aad);
  },
};

export const rewrapRoute = meteredRoute({
  ...rewrapping,
  summary: 'Re-encrypt under the current primary version; the plaintext stays inside',
  takes: jsonBody(fields),
  answer: ciphertextAnswer,
  view: viewCiphertext,
});
