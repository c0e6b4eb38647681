import { z } from 'zod';
import { rateLimited } from '../../shared/auth/rate-limit.ts';
import { monthOf } from '../../shared/base/month.ts';
import { type ApiError, toApiError } from '../../shared/errors.ts';
import {
  type Cryptography,
  type MeteredContext,
  type MeteredServices,
  meteredRoute,
  type Operated,
  operate,
} from '../../shared/http/operate.ts';
import type { Route } from '../../shared/http/route.ts';
import { opsLeft } from '../../shared/metering/meter.ts';
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
      const [value] = values;
      if (isBatch || value === undefined) {
        const outcomes = await operateOnEach(services, context, cryptography, values);
        return batchReply(origin.requestId, outcomes, { values, warnings, view });
      }
      const { latest } = await operate(services, context, cryptography, value.read);
      return { body: envelope(origin.requestId, view(await latest()), warnings) };
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

type Outcome<Done> = { readonly done: Done } | { readonly failed: ApiError };

async function outcomeOf<Done>(work: () => Promise<Done>): Promise<Outcome<Done>> {
  try {
    return { done: await work() };
  } catch (thrown) {
    return { failed: toApiError(thrown) };
  }
}

/** Runs the operation on each value: at once if the month has room for all, else one after the other. */
async function operateOnEach<Fields, Result>(
  services: MeteredServices,
  context: MeteredContext<unknown>,
  cryptography: Cryptography<Fields, Result>,
  values: readonly Value<Fields>[],
): Promise<Outcome<Result>[]> {
  const { caller, key, reads } = context;
  const operateOn = ({ read }: Value<Fields>, at: number, before: number) =>
    outcomeOf(() => {
      // The request itself has taken the first token.
      if (at > 0 && !services.rateLimit.take(caller.apiKeyId, caller.workload !== null)) throw rateLimited();
      return operate(services, context, cryptography, read, before);
    });
  // If the count cannot be read, each value gets and records the failure.
  const left = await opsLeft(reads, key, monthOf(services.clock.now())).catch(() => 0);
  if (left >= values.length) return latestOf(await Promise.all(values.map((value, at) => operateOn(value, at, 0))));
  const outcomes: Outcome<Operated<Result>>[] = [];
  for (const [at, value] of values.entries()) {
    const before = outcomes.filter((outcome) => 'done' in outcome).length;
    outcomes.push(await operateOn(value, at, before));
  }
  return latestOf(outcomes);
}

/**
 * Returns the results as they are when the last one is ready. To make one ciphertext again takes time, in which another
 * may become stale, so this function checks all of them until none was made again.
 */
async function latestOf<Result>(outcomes: readonly Outcome<Operated<Result>>[]): Promise<Outcome<Result>[]> {
  const checkAll = () =>
    Promise.all(outcomes.map((outcome) => ('failed' in outcome ? outcome : outcomeOf(outcome.done.latest))));
  for (let results = await checkAll(); ; ) {
    const checked = await checkAll();
    const isSame = checked.every((one, at) => 'failed' in one || one.done === Object(results[at]).done);
    if (isSame) return checked;
    results = checked;
  }
}

interface Replying<Result> {
  readonly values: readonly Value<unknown>[];
  readonly warnings: Warnings;
  readonly view: (result: Result) => object;
}

/** Returns the answer for a batch. The status is 400 if every item failed, else 200. */
function batchReply<Result>(
  requestId: string,
  outcomes: Outcome<Result>[],
  { values, warnings, view }: Replying<Result>,
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
