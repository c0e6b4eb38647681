import type { z } from 'zod';
import { makeEvent } from '../audit/record.ts';
import { API_KEY } from '../auth/admission.ts';
import { dayNameOf, type Month, monthOf } from '../base/month.ts';
import { prefetch } from '../base/prefetch.ts';
import { SecretBytes } from '../crypto/secret-bytes.ts';
import { type ErrorCode, toApiError } from '../errors.ts';
import type { CipherServices } from '../keys/cipher.ts';
import type { Key } from '../keys/key.ts';
import { type Encrypt, type LastRead, make, renew } from '../keys/renewal.ts';
import type { Standing } from '../metering/standing.ts';
import type { MeteredOperation } from '../operations.ts';
import type { Reader } from '../store/store.ts';
import type { ApiKeyCaller } from '../tenancy/caller.ts';
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
  readonly prepare: (
    used: Used,
    input: Input,
    aadField?: string,
  ) => (services: CipherServices) => Promise<Computed<Result>>;
}

interface Used {
  readonly key: Key;
  readonly secrets: SecretBytes;
}

/** A result or how to make ciphertext, and whether the operation needed a key version older than the primary. */
type Computed<Result> = { readonly usedOlder: boolean } & (
  | { readonly result: Result }
  | { readonly encrypt: Encrypt<Result> }
);

/** What the metered operations use, beside what every route uses. */
interface Operating extends Pick<CipherServices, 'kms' | 'kmsOperations' | 'dataKeys'> {
  /** Whether a tenant's billing is in good standing. */
  readonly standing: Standing;
}

export type MeteredServices = Frame & Operating;

export type MeteredContext<Input> = Context<ApiKeyCaller, Input> & {
  readonly key: Key;
  readonly lastRead: LastRead;
  readonly reads: Reader;
  /** Wiped when the handler has returned. */
  readonly secrets: SecretBytes;
  /** Settles once the API key's last use is stored. The response waits for it. */
  readonly noted: Promise<void> | undefined;
};

interface MeteredSpec<Input, Answer> extends Omit<RouteSpec<ApiKeyCaller, Input>, 'admits' | 'operation'> {
  readonly cryptography: Metered;
  readonly answer: z.ZodType<unknown, Answer>;
  handle(services: MeteredServices, context: MeteredContext<Input>): Promise<Partial<Reply>>;
}

const metered = new Routes<Operating>(['kms', 'kmsOperations', 'dataKeys', 'standing']);

/** Defines the route of a metered operation. Its handler calls {@link operate} to check, count and record values. */
export function meteredRoute<Input, Answer>({
  cryptography,
  handle,
  ...spec
}: MeteredSpec<Input, Answer>): Route<MeteredServices> {
  const { operation, makesCiphertext } = cryptography;
  const refuses = [...cryptography.refuses, ...(spec.refuses ?? [])];
  const described = { lookup: byId, ...spec, operation, makesCiphertext, admits: API_KEY, refuses };
  return metered.define(described, METERED, async (context, services, { key, age, reads, noted }) => {
    using secrets = new SecretBytes();
    return await handle(services, { ...context, key, lastRead: { key, age }, reads, secrets, noted });
  });
}

/** An operation that is counted and recorded. */
export interface Operated<Result> {
  readonly usedOlder: boolean;
  /**
   * Returns the result: the same object, unless it is ciphertext whose version is no longer primary, which is made again.
   * Throws the errors of `renew`.
   */
  readonly latest: () => Promise<Result>;
}

/**
 * Runs the operation on one value: its checks, its cryptography, and one commit with its count and its audit row. Throws
 * the error of the first of these that fails, after recording it if the log shows it. `before` is the number of earlier
 * operations of the same request.
 */
export async function operate<Input, Result>(
  services: MeteredServices,
  context: MeteredContext<unknown>,
  cryptography: Cryptography<Input, Result>,
  read: () => Input,
  before = 0,
): Promise<Operated<Result>> {
  const { clock, commits, metrics } = services;
  const { origin, key } = context;
  const { operation } = cryptography;
  const now = clock.now();
  const month = monthOf(now);
  try {
    const operated = await perform(services, context, cryptography, { read, month, before }).catch(async (thrown) => {
      const { recorded, code } = toApiError(thrown);
      if (recorded) await commits.record({ event: makeEvent(clock, origin, operation, key.id, code) });
      throw thrown;
    });
    const event = makeEvent(clock, origin, operation, key.id);
    await commits.record({ event, counted: { key, month, day: dayNameOf(now), usedOlder: operated.usedOlder } });
    metrics.attempted(operation, key.tier);
    return operated;
  } catch (thrown) {
    metrics.attempted(operation, key.tier, toApiError(thrown).code);
    throw thrown;
  }
}

interface Value<Input> {
  readonly read: () => Input;
  readonly month: Month;
  readonly before: number;
}

/** Checks and computes one value. */
async function perform<Input, Result>(
  services: MeteredServices,
  { key, lastRead, reads, secrets, noted }: MeteredContext<unknown>,
  { makesCiphertext, prepare }: Cryptography<Input, Result>,
  { read, month, before }: Value<Input>,
): Promise<Operated<Result>> {
  const { clock, standing } = services;
  const fields = prefetch(Promise.try(() => prepare({ key, secrets }, read())));
  await ON_VALUE.run({ clock, standing, reads, key, month, makesCiphertext, before, fields });
  const compute = await fields;
  const computed = await compute(services);
  const { usedOlder } = computed;
  if ('result' in computed) return { usedOlder, latest: async () => computed.result };
  let made = await renew(services, lastRead, await make(services, lastRead, computed.encrypt));
  const latest = async () => {
    await noted;
    made = await renew(services, lastRead, made);
    return made.result;
  };
  return { usedOlder, latest };
}
