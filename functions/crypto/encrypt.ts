import { z } from 'zod';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad, refuseHsmTotal, refusePlaintext } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import type { Work } from '../../shared/http/specs.ts';
import { backendOf, type CipherNeeds, type Sealed, seal } from '../../shared/keys/seal.ts';
import { ciphertextAnswer, viewCiphertext } from './answers.ts';

const fields = z.object({ plaintext: binary, aad: optionalBinary });
type Material = Record<'plaintext' | 'aad', Buffer>;

/** Encrypting up to 64 KiB. */
export const encryption: Work<CipherNeeds, z.output<typeof fields>, Material, Sealed> = {
  operation: 'encrypt',
  makesCiphertext: true,
  refuses: [],
  read({ key, secrets }, input, aadField) {
    const plaintext = secrets.keep(decodeField('plaintext', input.plaintext));
    const aad = decodeAad(input.aad, aadField);
    refusePlaintext(plaintext);
    refuseAad(aad, backendOf(key), aadField);
    refuseHsmTotal(key.tier, 'plaintext', plaintext, aad);
    return { plaintext, aad };
  },
  perform: (needs, { key }, { plaintext, aad }) => seal(needs, key, plaintext, aad),
};

export const encryptRoute = meteredRoute({
  ...encryption,
  summary: 'Encrypt up to 64 KiB',
  takes: jsonBody(fields),
  answer: ciphertextAnswer,
  view: viewCiphertext,
});
