import { z } from 'zod';
import {
  type Cryptography,
  type MeteredServices,
  meteredRoute,
  type Outcome,
  operate,
} from '../../shared/http/operate.ts';
import type { Route } from '../../shared/http/route.ts';
import { type Value, valuesBody } from './body.ts';
import { errorLine, VAULT } from './dialect.ts';
import { envelope, envelopeOf, namedAnswer, type Warnings } from './envelope.ts';
import { byName } from './key-names.ts';
import type { Satisfied } from './unsupported-fields.ts';

/** Transit's name for the aad. */
const AAD_FIELD = 'associated_data';

/** Adapts cryptography to Transit's field names. */
export function translated<Fields, Input, Result>(
  cryptography: Cryptography<Input, Result>,
  translate: (fields: Fields) => Input,
): Cryptography<Fields, Result> {
  return { ...cryptography, prepare: (used, fields) => cryptography.prepare(used, translate(fields), AAD_FIELD) };
}

/** The definition of an operation on values. */
interface ValuesRouteSpec<Fields, Result, One extends object> {
  readonly summary: string;
  readonly description: string;
  readonly cryptography: Cryptography<Fields, Result>;
  readonly shape: z.ZodObject & z.ZodType<Fields>;
  readonly isSatisfied?: Satisfied;
  /** The answer for one value. */
  readonly one: z.ZodType<One>;
  readonly example: One;
  readonly view: (result: Result) => One;
}

/** Defines the route of an operation on one value or on a batch. */
export function onValues<Fields, Result, One extends object>(
  spec: ValuesRouteSpec<Fields, Result, One>,
): Route<MeteredServices> {
  const { summary, description, cryptography, shape, isSatisfied, one, example, view } = spec;
  const { operation } = cryptography;
  return meteredRoute({
    id: `transit_${operation}`,
    dialect: VAULT,
    method: 'POST',
    path: `/v1/transit/${operation}/{name}`,
    summary,
    description,
    tag: 'Transit',
    takes: valuesBody(shape, isSatisfied),
    cryptography,
    lookup: byName,
    status: 200,
    otherStatuses: [400],
    answer: namedAnswer(`Transit_${operation}`, answerOf(one), example),
    async handle(services, context) {
      const { origin, input } = context;
      const { isBatch, values, warnings } = input;
      const outcomes = await operate(
        services,
        context,
        cryptography,
        values.map(({ read }) => read),
      );
      if (isBatch) return batchReply(origin.requestId, outcomes, { values, warnings, view });
      return oneReply(origin.requestId, outcomes, { warnings, view });
    },
  });
}

function answerOf(one: z.ZodType<object>): z.ZodType<unknown, unknown> {
  const failed = z.object({
    error: z.string().describe('Why this value failed: the error code, then a message for people.'),
  });
  const reference = z.object({ reference: z.string().optional().describe('The `reference` of the value.') });
  const result = z.intersection(z.union([one, failed]), reference);
  const data = z.union([
    one,
    z.object({ batch_results: z.array(result).describe('The results, in the order of `batch_input`.') }),
  ]);
  return envelopeOf(data).extend({
    errors: z.array(z.string()).optional().describe('The errors of the items. Present only if every item failed.'),
  });
}

interface Replying<Result> {
  readonly warnings: Warnings;
  readonly view: (result: Result) => object;
}

/** Returns the answer for one value, or throws the value's error. */
export function oneReply<Result>(
  requestId: string,
  [outcome]: Outcome<Result>[],
  { warnings, view }: Replying<Result>,
) {
  if (outcome === undefined) throw new Error('expected one outcome for an operation on one value');
  if ('failed' in outcome) throw outcome.failed;
  return { body: envelope(requestId, view(outcome.done), warnings) };
}

/** Returns the answer for a batch. The status is 400 if every item failed, else 200. */
function batchReply<Result>(
  requestId: string,
  outcomes: Outcome<Result>[],
  { values, warnings, view }: Replying<Result> & { readonly values: readonly Value<unknown>[] },
) {
  const results = outcomes.map((outcome, at) => ({
    ...('done' in outcome ? view(outcome.done) : { error: errorLine(outcome.failed) }),
    reference: values[at]?.reference,
  }));
  const body = envelope(requestId, { batch_results: results }, warnings);
  const errors = outcomes.flatMap((outcome) => ('failed' in outcome ? errorLine(outcome.failed) : []));
  if (errors.length < outcomes.length) return { body };
  return { status: 400, body: { errors: [...new Set(errors)], ...body } };
}
