import { makeEvent, recordingFailure } from '../audit/record.ts';
import { rateLimited } from '../auth/authenticate.ts';
import { SecretBytes } from '../crypto/secret-bytes.ts';
import { type ApiError, toApiError } from '../errors.ts';
import { refusePending } from '../keys/guards.ts';
import type { Key } from '../keys/key.ts';
import type { Ended } from '../metering/group-commit.ts';
import { type Meter, refuseCapped, unpaid } from '../metering/meter.ts';
import type { ApiKeyCaller } from '../tenancy/caller.ts';
import { TIER } from '../tiers.ts';
import type { KeyContext, MeteredNeeds, Outcome, Used, Work } from './specs.ts';

/* The steps 11 to 16 of the order of checks, which all metered operations have alike. The steps before are in pipeline.ts. */

/** A metered operation that has passed the checks before its own. */
interface Operating<Needs, Input, Material, Result, One> {
  readonly work: Work<Needs, Input, Material, Result>;
  readonly view: (result: Result) => One;
  readonly meter: Meter;
  readonly context: KeyContext<ApiKeyCaller, unknown>;
}

/** Steps 11 to 16 of a value that is alone. */
export function operate<Needs, Input, Material, Result, One>(
  needs: Needs & MeteredNeeds,
  operating: Operating<Needs, Input, Material, Result, One>,
  input: Input,
): Promise<One> {
  const { work, context } = operating;
  return recordingFailure(needs, context.origin, work.operation, context.key, async () => {
    const one = await perform(needs, operating, () => input); //         11 to 15
    await needs.commits.record(asEnded(needs, operating)); //            16
    return one;
  });
}

/**
 * Steps 11 to 16 of several values: each takes a token of its own from the rate limit, and is decided alone; one commit has
 * all counts and rows. Without that commit none of them is known to be recorded, so that each has failed.
 */
export async function operateOnEach<Needs, Input, Material, Result, One>(
  needs: Needs & MeteredNeeds,
  operating: Operating<Needs, Input, Material, Result, One>,
  inputs: readonly (() => Input)[],
): Promise<readonly Outcome<One>[]> {
  const { work, context } = operating;
  const { caller, key } = context;
  const decided = await decideEach(key, inputs, async (input, at, besides) => {
    // The request's own token is the first value's.
    if (at > 0 && !needs.rateLimit.take(caller.apiKeyId)) throw rateLimited();
    return perform(needs, operating, input, besides); //                 9, of the value, 11 to 15
  });
  const ended = decided.flatMap((outcome) => {
    if ('done' in outcome) return asEnded(needs, operating);
    return outcome.failed.recorded ? asEnded(needs, operating, outcome.failed) : [];
  });
  const outcomes = await needs.commits.record(...ended).then(
    () => decided,
    (error: unknown) => {
      const failed = toApiError(error);
      return decided.map((outcome) => ('failed' in outcome && !outcome.failed.recorded ? outcome : { failed }));
    },
  );
  for (const outcome of outcomes) {
    needs.metrics.attempted(work.operation, key.tier, 'failed' in outcome ? outcome.failed.code : undefined);
  }
  return outcomes;
}

/**
 * How each value is decided. Side by side, but for a key that a cap stops: then one after another, as each that succeeds is
 * one operation fewer for those after it.
 */
async function decideEach<Input, One>(
  { tier }: Key,
  inputs: readonly (() => Input)[],
  decide: (input: () => Input, at: number, besides: number) => Promise<One>,
): Promise<Outcome<One>[]> {
  if (!TIER[tier].hardCap) return Promise.all(inputs.map((input, at) => outcomeOf(() => decide(input, at, 0))));
  const outcomes: Outcome<One>[] = [];
  for (const [at, input] of inputs.entries()) {
    const besides = outcomes.filter((outcome) => 'done' in outcome).length;
    outcomes.push(await outcomeOf(() => decide(input, at, besides)));
  }
  return outcomes;
}

async function outcomeOf<One>(decide: () => Promise<One>): Promise<Outcome<One>> {
  try {
    return { done: await decide() };
  } catch (thrown) {
    return { failed: toApiError(thrown) };
  }
}

/** Steps 11 to 15 of one value. `besides` are the operations that the same request has had already. */
async function perform<Needs, Input, Material, Result, One>(
  needs: Needs & MeteredNeeds,
  { work, view, meter, context: { key } }: Operating<Needs, Input, Material, Result, One>,
  input: () => Input,
  besides = 0,
): Promise<One> {
  using secrets = new SecretBytes();
  const used: Used = { key, secrets };
  const material = work.read(used, input()); //                          11
  refusePending(key, needs.clock); //                                    12
  if (!(await meter.paidFor)) throw unpaid(); //                         13
  refuseCapped(meter.month, key, (await meter.used) + besides); //       14
  return view(await work.perform(needs, used, material)); //             15
}

/** How an operation has ended now, as it is recorded: with a count, unless it failed. */
function asEnded<Needs, Input, Material, Result, One>(
  { clock }: MeteredNeeds,
  {
    work: { operation },
    meter: { month, day },
    context: { origin, key },
  }: Operating<Needs, Input, Material, Result, One>,
  failed?: ApiError,
): Ended {
  const event = makeEvent(clock, origin, operation, key.id, failed?.code);
  return failed === undefined ? { event, counted: { key, month, day } } : { event };
}
