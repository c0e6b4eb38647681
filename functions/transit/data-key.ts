import { z } from 'zod';
import { binary, optionalBinary } from '../../shared/crypto/fields.ts';
import type { InputReader } from '../../shared/http/input.ts';
import { valuesRoute } from '../../shared/http/pipeline.ts';
import type { Values } from '../../shared/http/specs.ts';
import { type WrappedDek, wrapping } from '../crypto/wrap.ts';
import { usingBody } from './body.ts';
import { sealedAnswer, viewSealed } from './ciphertext.ts';
import { VAULT } from './dialect.ts';
import { envelope, envelopeOf } from './envelope.ts';
import { translated } from './values.ts';

/** Numbers come as text from Vault's own command line. */
const BITS = [128, 256, '128', '256'] as const;
const BITS_DONE = 'must be 128 or 256; encrypt a longer key as a value';

const shape = z.object({ bits: z.literal(BITS, BITS_DONE).nullish(), associated_data: optionalBinary });
type Fields = z.output<typeof shape>;

/** No data key is given, so none has a wrong length. */
const work = {
  ...translated(wrapping, ({ bits, associated_data }: Fields) => {
    return { dek: null, aad: associated_data, newBytes: Number(bits ?? 256) / 8 };
  }),
  refuses: [],
};

const body = usingBody(shape);
const takes: InputReader<Values<Fields>> = { ...body, read: async (request) => ({ one: await body.read(request) }) };

/** A new data key, wrapped; `view` says what of it is answered. */
function dataKeyRoute<One extends object>(
  which: 'plaintext' | 'wrapped',
  summary: string,
  one: z.ZodType<One>,
  view: (wrapped: WrappedDek) => One,
) {
  return valuesRoute({
    id: `transit_datakey_${which}`,
    dialect: VAULT,
    method: 'POST',
    path: `/v1/transit/datakey/${which}/{name}`,
    summary,
    takes,
    work,
    view,
    status: 200,
    answer: envelopeOf(one).meta({ id: `Transit_datakey_${which}` }),
    reply: (requestId, given) => ({ body: envelope(requestId, 'one' in given ? given.one : null) }),
  });
}

export const wrappedDataKeyRoute = dataKeyRoute(
  'wrapped',
  'Transit: make a data key, and answer it wrapped alone',
  sealedAnswer,
  viewSealed,
);

export const plaintextDataKeyRoute = dataKeyRoute(
  'plaintext',
  'Transit: make a data key, and answer it wrapped and as it is',
  sealedAnswer.extend({ plaintext: binary }),
  ({ newDek = '', ...sealed }) => ({ plaintext: newDek, ...viewSealed(sealed) }),
);
