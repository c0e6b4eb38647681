import type { z } from 'zod';
import { makeEvent } from '../audit/record.ts';
import { API_KEY } from '../auth/admission.ts';
import { rateLimited } from '../auth/rate-limit.ts';
import { dayNameOf, type Month, monthOf } from '../base/month.ts';
import { prefetch } from '../base/prefetch.ts';
import { SecretBytes } from '../crypto/secret-bytes.ts';
import { type ApiError, type ErrorCode, toApiError } from '../errors.ts';
import type { CipherServices } from '../keys/cipher.ts';
import type { Key } from '../keys/key.ts';
import { type Encrypt, isOld, type LastRead, type Made, make, refresh } from '../keys/renewal.ts';
import type { Ended, GroupCommit } from '../metering/group-commit.ts';
import type { Standing } from '../metering/standing.ts';
import type { MeteredOperation } from '../operations.ts';
import type { Reader } from '../store/store.ts';
import type { ApiKeyCaller } from '../tenancy/caller.ts';
import { TIER } from '../tiers.ts';
import type { Frame } from './frame.ts';
import { byId } from './key-lookup.ts';
import { METERED } from './kinds.ts';
import { ON_VALUE } from './order.ts';
import { type Context, type RouteSpec, Routes } from './pipeline.ts';
import type { Reply, Route } from './route.ts';

interface Metered {
  readonly operation: MeteredOperation;
  /** Whether the operation makes new ciphertext. With a paid key, this requires billing in good standing. */
  readonly makesCiphertext: boolean;
  /** The error codes that only this operation can answer. */
  readonly refuses: readonly ErrorCode[];
}

export interface Cryptography<Input, Result> extends Metered {
  /** Checks the fields and returns the function that runs the cryptography. `aadField` names the aad in errors. */
  prepare(used: Used, input: Input, aadField?: string): (services: CipherServices) => Promise<Computed<Result>>;
}

export interface Used {
  readonly key: Key;
  readonly secrets: SecretBytes;
}

/** A result or how to make ciphertext, and whether the operation needed a key version older than the primary. */
export type Computed<Result> = { readonly usedOlder: boolean } & (
  | { readonly result: Result }
  | { readonly encrypt: Encrypt<Result> }
);

/** What the metered operations use, beside what every route uses. */
interface Operating extends Pick<CipherServices, 'kms' | 'kmsOperations' | 'dataKeys'> {
  /** Whether a tenant's billing is in good standing. */
  readonly standing: Standing;
  /** Counts operations and writes their audit rows, many in one commit. */
  readonly commits: GroupCommit;
}

export type MeteredServices = Frame & Operating;

type MeteredContext<Input> = Context<ApiKeyCaller, Input> & {
  readonly key: Key;
  readonly lastRead: LastRead;
  readonly reads: Reader;
};

interface MeteredSpec<Input, Answer> extends Omit<RouteSpec<ApiKeyCaller, Input>, 'admits' | 'operation'> {
  readonly cryptography: Metered;
  readonly answer: z.ZodType<unknown, Answer>;
  handle(services: MeteredServices, context: MeteredContext<Input>): Promise<Partial<Reply>>;
}

const metered = new Routes<Operating>(['kms', 'kmsOperations', 'dataKeys', 'standing', 'commits']);

/** Defines the route of a metered operation. Its handler calls {@link operate} to check, count and record values. */
export function meteredRoute<Input, Answer>({
  cryptography,
  handle,
  ...spec
}: MeteredSpec<Input, Answer>): Route<MeteredServices> {
  const { operation, makesCiphertext } = cryptography;
  const refuses = [...cryptography.refuses, ...(spec.refuses ?? [])];
  const described = { lookup: byId, ...spec, operation, makesCiphertext, admits: API_KEY, refuses };
  return metered.define(described, METERED, (context, services, { key, age, reads }) =>
    handle(services, { ...context, key, lastRead: { key, age }, reads }),
  );
}

interface Done<Result> {
  readonly done: Result;
  readonly usedOlder: boolean;
}

/** The result of an operation, with what made it if it is ciphertext. */
type Performed<Result> = Done<Result> | (Done<Result> & { readonly made: Made<Result> });

export type Outcome<Result> = Performed<Result> | { readonly failed: ApiError };

export async function operateOnOne<Input, Result>(
  services: MeteredServices,
  context: MeteredContext<unknown>,
  cryptography: Cryptography<Input, Result>,
  input: Input,
): Promise<Result> {
  const [outcome] = await operate(services, context, cryptography, [() => input]);
  if (outcome === undefined) throw new Error('expected one outcome for an operation on one value');
  if ('failed' in outcome) throw outcome.failed;
  return outcome.done;
}

/**
 * Runs the operation on all values of a request. One commit stores all counts and audit rows. If the commit fails,
 * every value fails. Returns no ciphertext whose version a change of the key has retired meanwhile.
 */
export async function operate<Input, Result>(
  services: MeteredServices,
  context: MeteredContext<unknown>,
  cryptography: Cryptography<Input, Result>,
  inputs: readonly (() => Input)[],
): Promise<Outcome<Result>[]> {
  using secrets = new SecretBytes();
  const { caller, key, lastRead } = context;
  const { operation } = cryptography;
  const now = services.clock.now();
  const when = { month: monthOf(now), day: dayNameOf(now) };
  const performed = await performEach(key, inputs, async (input, at, before) => {
    if (at > 0 && !services.rateLimit.take(caller.apiKeyId)) throw rateLimited();
    return perform(services, context, cryptography, { input, secrets, before, month: when.month });
  });
  const recorded = await record(
    services,
    { ...context, ...when },
    operation,
    await renew(services, lastRead, performed),
  );
  const outcomes = await renew(services, lastRead, recorded);
  for (const outcome of outcomes) {
    services.metrics.attempted(operation, key.tier, 'failed' in outcome ? outcome.failed.code : undefined);
  }
  return outcomes;
}

async function performEach<Input, Result>(
  { tier }: Key,
  inputs: readonly Input[],
  performOne: (input: Input, at: number, before: number) => Promise<Performed<Result>>,
): Promise<Outcome<Result>[]> {
  if (!TIER[tier].hardCap) return Promise.all(inputs.map((input, at) => outcomeOf(() => performOne(input, at, 0))));
  const outcomes: Outcome<Result>[] = [];
  for (const [at, input] of inputs.entries()) {
    const before = outcomes.filter((outcome) => 'done' in outcome).length;
    outcomes.push(await outcomeOf(() => performOne(input, at, before)));
  }
  return outcomes;
}

async function outcomeOf<Result>(performOne: () => Promise<Performed<Result>>): Promise<Outcome<Result>> {
  try {
    return await performOne();
  } catch (thrown) {
    return { failed: toApiError(thrown) };
  }
}

interface Value<Input> {
  readonly input: () => Input;
  readonly secrets: SecretBytes;
  readonly before: number;
  readonly month: Month;
}

async function perform<Input, Result>(
  services: MeteredServices,
  { key, lastRead, reads }: MeteredContext<unknown>,
  cryptography: Cryptography<Input, Result>,
  { input, secrets, before, month }: Value<Input>,
): Promise<Performed<Result>> {
  const { clock, standing } = services;
  const { makesCiphertext } = cryptography;
  const prepared = prefetch(Promise.try(() => cryptography.prepare({ key, secrets }, input())));
  await ON_VALUE.run({ clock, standing, reads, key, month, makesCiphertext, before, fields: prepared });
  const compute = await prepared;
  const computed = await compute(services);
  if ('result' in computed) return { done: computed.result, usedOlder: computed.usedOlder };
  const made = await make(services, lastRead, computed.encrypt);
  return { done: made.result, usedOlder: computed.usedOlder, made };
}

/**
 * Reads the key again if the last read is old, and makes ciphertext again whose version is no longer primary. If the
 * read fails, every ciphertext fails.
 */
async function renew<Result>(
  services: MeteredServices,
  lastRead: LastRead,
  outcomes: Outcome<Result>[],
): Promise<Outcome<Result>[]> {
  for (let current = outcomes; ; ) {
    if (isOld(lastRead) && current.some((outcome) => 'made' in outcome)) {
      const failed = await refresh(services, lastRead).then(() => undefined, toApiError);
      if (failed) return current.map((outcome) => ('made' in outcome ? { failed } : outcome));
    }
    const { primary_version } = lastRead.key;
    if (current.every((outcome) => !('made' in outcome) || outcome.made.version === primary_version)) return current;
    const renewed = current.map((outcome) => {
      if (!('made' in outcome) || outcome.made.version === primary_version) return outcome;
      const { usedOlder, made: old } = outcome;
      return outcomeOf(async () => {
        const made = await make(services, lastRead, old.encrypt, old.repeats + 1);
        return { done: made.result, usedOlder, made };
      });
    });
    current = await Promise.all(renewed);
  }
}

/** Stores a count and an audit row for each success, and a row for each failure whose code is `recorded`. */
async function record<Result>(
  { clock, commits }: MeteredServices,
  { origin, key, month, day }: MeteredContext<unknown> & { readonly month: Month; readonly day: string },
  operation: MeteredOperation,
  outcomes: Outcome<Result>[],
): Promise<Outcome<Result>[]> {
  const ended = outcomes.flatMap((outcome): Ended | [] => {
    if ('done' in outcome) {
      const event = makeEvent(clock, origin, operation, key.id);
      return { event, counted: { key, month, day, usedOlder: outcome.usedOlder } };
    }
    const { code, recorded } = outcome.failed;
    return recorded ? { event: makeEvent(clock, origin, operation, key.id, code) } : [];
  });
  try {
    await commits.record(...ended);
    return outcomes;
  } catch (thrown) {
    const failed = toApiError(thrown);
    return outcomes.map((outcome) => ('failed' in outcome && !outcome.failed.recorded ? outcome : { failed }));
  }
}
