import { z } from 'zod';
import { binary } from '../../shared/crypto/fields.ts';
import { type MeteredServices, meteredRoute, operate } from '../../shared/http/operate.ts';
import type { Description, Route } from '../../shared/http/route.ts';
import { type WrappedDek, wrapping } from '../crypto/wrap.ts';
import { usingBody } from './body.ts';
import { associatedDataField, ENCRYPTED_EXAMPLE, encryptedAnswer, viewEncrypted } from './ciphertext.ts';
import { VAULT } from './dialect.ts';
import { envelope, envelopeOf, namedAnswer } from './envelope.ts';
import { byName } from './key-names.ts';
import { translated } from './values.ts';

/** The accepted numbers of bits, also as text, because Vault's command line sends numbers as text. */
const BITS_MESSAGE = 'must be 128 or 256; encrypt a longer key as a value';
const bitsField = z.union([z.literal([128, 256]), z.literal(['128', '256'])], BITS_MESSAGE);

const shape = z.object({
  bits: bitsField.nullish().describe('The length of the data key in bits. The default is 256.'),
  associated_data: associatedDataField,
});

/** `invalid_dek_length` cannot occur, because the request contains no data key. */
const cryptography = {
  ...translated(wrapping, ({ bits, associated_data }: z.output<typeof shape>) => {
    return { dek: null, aad: associated_data, newBytes: Number(bits ?? 256) / 8 };
  }),
  refuses: [],
};

/** Defines a route that makes and wraps a data key. `view` selects the fields of the answer. */
function dataKeyRoute<One extends object>(
  which: 'plaintext' | 'wrapped',
  { summary, description }: Pick<Description, 'summary' | 'description'>,
  one: z.ZodType<One>,
  example: One,
  view: (wrapped: WrappedDek) => One,
): Route<MeteredServices> {
  return meteredRoute({
    id: `transit_datakey_${which}`,
    dialect: VAULT,
    method: 'POST',
    path: `/v1/transit/datakey/${which}/{name}`,
    summary,
    description,
    tag: 'Transit',
    takes: usingBody(shape),
    cryptography,
    lookup: byName,
    status: 200,
    answer: namedAnswer(`Transit_datakey_${which}`, envelopeOf(one), example),
    async handle(services, context) {
      const { origin, input } = context;
      const { latest } = await operate(services, context, cryptography, () => input.fields);
      return { body: envelope(origin.requestId, view(await latest()), input.warnings) };
    },
  });
}

export const wrappedDataKeyRoute = dataKeyRoute(
  'wrapped',
  {
    summary: 'Transit: create a data key and return it wrapped',
    description: 'Creates a data key and returns only its wrapped form. Counts as one operation.',
  },
  encryptedAnswer,
  ENCRYPTED_EXAMPLE,
  viewEncrypted,
);

export const plaintextDataKeyRoute = dataKeyRoute(
  'plaintext',
  {
    summary: 'Transit: create a data key and return it wrapped and in plaintext',
    description:
      'Creates a data key and returns it wrapped and in plaintext. Counts as one operation. Store only the wrapped form.',
  },
  encryptedAnswer.extend({ plaintext: binary.describe('The data key.') }),
  { ...ENCRYPTED_EXAMPLE, plaintext: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=' },
  ({ newDek = '', ...encrypted }) => ({ plaintext: newDek, ...viewEncrypted(encrypted) }),
);
