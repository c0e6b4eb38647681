import { z } from 'zod';
import { makeDek } from '../../shared/crypto/dek.ts';
import { binary, decodeAad, decodeField, optionalBinary } from '../../shared/crypto/fields.ts';
import { refuseAad, refuseDek, refuseHsmTotal } from '../../shared/crypto/limits.ts';
import { jsonBody } from '../../shared/http/body.ts';
import { meteredRoute } from '../../shared/http/pipeline.ts';
import type { Work } from '../../shared/http/specs.ts';
import { backendOf, type CipherNeeds, type Sealed, seal } from '../../shared/keys/seal.ts';

const fields = z.object({ dek: optionalBinary, aad: optionalBinary });

/** What is wrapped: the data key given, or a new one of so many bytes. */
type Input = z.output<typeof fields> & { readonly newBytes?: number };
type Material = Record<'dek' | 'aad', Buffer> & { readonly isNew: boolean };

/** A wrapped data key, and in base64 the key itself where it is a new one. */
export type WrappedDek = Sealed & { readonly newDek: string | undefined };

/** Wrapping a data key. */
export const wrapping: Work<CipherNeeds, Input, Material, WrappedDek> = {
  operation: 'wrap',
  makesCiphertext: true,
  refuses: ['invalid_dek_length'],
  read({ key, secrets }, input, aadField) {
    const isNew = input.dek == null;
    const dek = secrets.keep(input.dek == null ? makeDek(input.newBytes) : decodeField('dek', input.dek));
    const aad = decodeAad(input.aad, aadField);
    refuseDek(dek);
    refuseAad(aad, backendOf(key), aadField);
    refuseHsmTotal(key.tier, 'dek', dek, aad);
    return { dek, aad, isNew };
  },
  async perform(needs, { key }, { dek, aad, isNew }) {
    const sealed = await seal(needs, key, dek, aad);
    return { ...sealed, newDek: isNew ? dek.toString('base64') : undefined };
  },
};

export const wrapRoute = meteredRoute({
  ...wrapping,
  summary: 'Wrap a data key: the one given, or a new one of 32 random bytes',
  takes: jsonBody(fields),
  answer: z.object({ wrapped: binary, dek: binary.optional() }).meta({ id: 'Wrapped' }),
  view: ({ ciphertext, newDek }) => ({ wrapped: ciphertext.toString('base64'), dek: newDek }),
});
