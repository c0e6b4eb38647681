import { z } from 'zod';
import { valuesRoute } from '../../shared/http/pipeline.ts';
import type { AnyReply, Given, Outcome, Work } from '../../shared/http/specs.ts';
import { valuesBody } from './body.ts';
import { errorLine, VAULT } from './dialect.ts';
import { envelope, envelopeOf } from './envelope.ts';
import type { Satisfied } from './not-done.ts';

/** What the aad of the service's own interface is called here. */
const AAD_FIELD = 'associated_data';

/** The work, whose fields are called as Transit calls them. */
export function translated<Needs, Fields, Input, Material, Result>(
  work: Work<Needs, Input, Material, Result>,
  translate: (fields: Fields) => Input,
): Work<Needs, Fields, Material, Result> {
  return { ...work, read: (used, fields) => work.read(used, translate(fields), AAD_FIELD) };
}

/** What sets one of the operations on values apart from the others. */
interface Operation<Needs, Fields, Material, Result, One extends object> {
  readonly summary: string;
  readonly work: Work<Needs, Fields, Material, Result>;
  readonly shape: z.ZodObject & z.ZodType<Fields>;
  readonly isSatisfied?: Satisfied;
  /** What a value gives. */
  readonly one: z.ZodType<One>;
  readonly view: (result: Result) => One;
}

/** An operation on a value, or on a batch of them. */
export function onValues<Needs, Fields, Material, Result, One extends object>(
  operation: Operation<Needs, Fields, Material, Result, One>,
) {
  const { summary, work, shape, isSatisfied, one, view } = operation;
  return valuesRoute({
    id: `transit_${work.operation}`,
    dialect: VAULT,
    method: 'POST',
    path: `/v1/transit/${work.operation}/{name}`,
    summary,
    takes: valuesBody(shape, isSatisfied),
    work,
    view,
    status: 200,
    otherStatuses: [400],
    answer: answerOf(one).meta({ id: `Transit_${work.operation}` }),
    reply: replyWith<One>,
  });
}

type Failed = { readonly error: string };
type Data<One> = One | { readonly batch_results: readonly (One | Failed)[] };

function answerOf<One>(one: z.ZodType<One>): z.ZodType<unknown, unknown> {
  const result = z.union([one, z.object({ error: z.string() })]);
  const data = z.union([one, z.object({ batch_results: z.array(result) })]);
  return envelopeOf(data).extend({ errors: z.array(z.string()).optional().describe('where every item has failed') });
}

/** One value's answer, or a batch's, which is good unless every item has failed. */
function replyWith<One extends object>(requestId: string, given: Given<One>): AnyReply<unknown> {
  if ('one' in given) return { body: envelope<Data<One>>(requestId, given.one) };
  const body = envelope<Data<One>>(requestId, { batch_results: given.several.map(viewOutcome) });
  const errors = given.several.flatMap((outcome) => ('failed' in outcome ? errorLine(outcome.failed) : []));
  if (errors.length < given.several.length) return { body };
  return { status: 400, body: { errors: [...new Set(errors)], ...body } };
}

function viewOutcome<One>(outcome: Outcome<One>): One | Failed {
  return 'done' in outcome ? outcome.done : { error: errorLine(outcome.failed) };
}
