import { z } from 'zod';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { isDek, refuseAad } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import { backendOf, type CipherNeeds, invalidCiphertext, open } from '../../shared/keys/seal.ts';

export const unwrapRoute = meteredRoute({
  operation: 'unwrap',
  summary: 'Unwrap a data key',
  makesCiphertext: false,
  takes: jsonBody(z.object({ wrapped: binary, aad: optionalBinary })),
  refuses: ['invalid_ciphertext'],
  answer: z.object({ dek: binary }).meta({ id: 'Dek' }),
  read({ key }, input) {
    const wrapped = decodeField('wrapped', input.wrapped);
    const aad = decodeAad(input.aad);
    refuseAad(aad, backendOf(key));
    return { wrapped, aad };
  },
  async perform(needs: CipherNeeds, { key, secrets }, { wrapped, aad }) {
    const dek = secrets.keep(await open(needs, key, wrapped, aad));
    if (!isDek(dek)) throw invalidCiphertext();
    return { dek: dek.toString('base64') };
  },
  view: (answer) => answer,
});
