import { recordedFailure, recordedRefusal, recordingChange, recordingFailure } from '../audit/record.ts';
import { type Admission, API_KEY } from '../auth/admission.ts';
import { refuseAction, refuseRole } from '../auth/authorize.ts';
import { presentCredential, proveCredential } from '../auth/identify.ts';
import type { Id } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import { ApiError, notFound } from '../errors.ts';
import { isOwn } from '../keys/guards.ts';
import { isLive, type Key } from '../keys/key.ts';
import { ACTION_OF, type Administration, type Operation } from '../operations.ts';
import type { Services } from '../services.ts';
import type { Caller } from '../tenancy/caller.ts';
import { onceArrived } from './arrival.ts';
import { NATIVE } from './dialect.ts';
import { byId, type NamedKey } from './key-lookup.ts';
import type { Request } from './request.ts';
import { Page, type Reply, type Route } from './route.ts';
import type {
  ChangeSpec,
  Context,
  CreationSpec,
  KeySpec,
  MeteredSpec,
  OpenSpec,
  PlainSpec,
  ResourceChangeSpec,
  ResourceSpec,
  Spec,
} from './specs.ts';
import {
  type About,
  isDecidedByRole,
  type Lookups,
  OF_ANY_REQUEST,
  refusalsOf,
  type Step,
  stepsOf,
  VALUE_STEPS,
} from './steps.ts';

/** A `GET` without a credential. */
export function openRoute<Answer>({ respond, ...spec }: OpenSpec<Answer>): Route {
  const described = { ...spec, method: 'GET', credential: 'none', refuses: OF_ANY_REQUEST } as const;
  return { description: { ...UNSAID, ...described }, respond };
}

/** A route about nothing in particular. */
export function route<Admitted, Input, Answer>(spec: PlainSpec<Admitted, Input, Answer>): Route {
  return define(spec, 'nothing', async (call, input) => {
    const common = ask(call, input, spec.admits);
    const asked = { ...common, allowed: prefetch(allowRole(call, common)) };
    await pass(call, asked);
    const context = await contextOf(call, asked);
    return reply(call, spec, asked, () => spec.handle(call.services, context));
  });
}

/** A route that changes the tenant besides its keys, and is recorded. */
export function changeRoute<Input, Answer>(spec: ChangeSpec<Input, Answer>): Route {
  const { operation, target } = spec;
  return define(spec, 'nothing', async (call, input) => {
    const common = ask(call, input, spec.admits);
    const asked = { ...common, allowed: prefetch(allowRole(call, common)) };
    const targetOf = async () => target?.(await asked.caller) ?? null;
    const refuse = recordingRefusal(call, operation, asked, targetOf);
    await pass(call, asked, refuse);
    const context = await contextOf(call, asked);
    const record = recordingChange(call.services.clock, context.origin, operation);
    // The role may have been lowered since it was decided on.
    const handle = async () =>
      spec.handle(call.services, { ...context, record }).catch(async (thrown: unknown) => {
        throw await refuse(thrown);
      });
    return reply(call, spec, asked, handle);
  });
}

/** A route of the console about one thing that the path names, other than a key. */
export function resourceRoute<Id, Input, Answer>(spec: ResourceSpec<Id, Input, Answer>): Route {
  return define(spec, 'resource', async (call, input) => {
    const id = spec.pathId(call.request.pathId);
    const path = prefetch(Promise.resolve(id).then(orNotFound));
    const asked = { ...ask(call, input, spec.admits), path };
    await pass(call, asked);
    const context = { ...(await contextOf(call, asked)), id: await path };
    return reply(call, spec, asked, () => spec.handle(call.services, context));
  });
}

/** A route that changes one thing of the tenant other than a key, and is recorded. */
export function resourceChangeRoute<ThingId extends Id<string>, Input, Answer>(
  spec: ResourceChangeSpec<ThingId, Input, Answer>,
): Route {
  const { operation, isOwn } = spec;
  return define(spec, 'resource', async (call, input) => {
    const id = spec.pathId(call.request.pathId);
    const path = prefetch(Promise.resolve(id).then(orNotFound));
    const common = { ...ask(call, input, spec.admits), path };
    const needsNoRole = async () => id !== undefined && isOwn?.(await common.caller, id) === true;
    const asked = {
      ...common,
      allowed: prefetch(needsNoRole().then((own) => (own ? undefined : allowRole(call, common)))),
    };
    const targetOf = async () => {
      const thing = spec.find(call.services, (await asked.caller).tenantId, await path);
      return thing.then(() => id, ignoreNotFound);
    };
    await pass(call, asked, recordingRefusal(call, operation, asked, targetOf));
    const context = { ...(await contextOf(call, asked)), id: await path };
    const record = recordingChange(call.services.clock, context.origin, operation);
    return reply(call, spec, asked, () => spec.handle(call.services, { ...context, record }));
  });
}

function ignoreNotFound(thrown: unknown): undefined {
  if (!(thrown instanceof ApiError) || thrown.code !== 'not_found') throw thrown;
}

/** A route that creates a key, and is recorded. */
export function creationRoute<Admitted extends Caller, Input, Answer>(
  spec: CreationSpec<Admitted, Input, Answer>,
): Route {
  const { operation } = spec;
  return define(spec, 'new key', async (call, input) => {
    const common = ask(call, input, spec.admits);
    const asked = { ...common, allowed: prefetch(allowCreation(call, common)) };
    await pass(call, asked, recordingKeyRefusal(call, operation, asked, null));
    const context = await contextOf(call, asked);
    const handle = () => spec.handle(call.services, context);
    return reply(call, spec, asked, () => recordingFailure(call.services, context.origin, operation, null, handle));
  });
}

/** A route about one key; with an `operation` it is recorded. */
export function keyRoute<Admitted extends Caller, Input, Answer>(spec: KeySpec<Admitted, Input, Answer>): Route {
  const { operation } = spec;
  return define(spec, 'key', async (call, input) => {
    const asked = askForKey(call, input, spec);
    await pass(call, asked, operation && recordingKeyRefusal(call, operation, asked, asked.found));
    const context = { ...(await contextOf(call, asked)), key: await asked.key };
    const handle = () => spec.handle(call.services, context);
    if (operation === undefined) return reply(call, spec, asked, handle);
    const { origin, key } = context;
    return reply(call, spec, asked, () => recordingFailure(call.services, origin, operation, key, handle));
  });
}

/** A metered operation on a key. */
export function meteredRoute<Input, Answer>(spec: MeteredSpec<Input, Answer>): Route {
  const { operation, makesCiphertext } = spec.cryptography;
  const ofValues = VALUE_STEPS.filter(({ onlyNewCiphertext }) => makesCiphertext || !onlyNewCiphertext);
  const refuses = [...ofValues.flatMap(({ codes }) => codes), ...spec.cryptography.refuses, ...(spec.refuses ?? [])];
  const keySpec = { ...spec, operation, admits: API_KEY, refuses };
  return define(keySpec, 'key', async (call, input) => {
    const asked = askForKey(call, input, keySpec);
    const { named, found } = asked;
    const meter = prefetch(
      named.then(({ likelyId }) => call.services.meters.read({ likelyId, found, makesCiphertext })),
    );
    await pass(call, asked, recordingKeyRefusal(call, operation, asked, found));
    const context = { ...(await contextOf(call, asked)), key: await asked.key, meter: await meter };
    return spec.handle(call.services, context);
  });
}

/** One request on its way through the steps of its route. */
interface Call {
  readonly services: Services;
  readonly request: Request;
  /** The route's id. */
  readonly id: string;
  /** Whether the policy decides on it by the role of a member. */
  readonly byRole: boolean;
  readonly steps: readonly Step<Lookups>[];
}

/** {@link Lookups}, typed as the route's. */
interface Asked<Admitted, Input> extends Lookups {
  readonly caller: Promise<Admitted>;
  readonly input: Promise<Input>;
}

interface AskedForKey<Admitted, Input> extends Asked<Admitted, Input> {
  readonly named: Promise<NamedKey>;
  readonly key: Promise<Key>;
  /** The key, `undefined` where the caller can reach none. */
  readonly found: Promise<Key | undefined>;
}

const ABSENT = Promise.resolve(undefined);

/** Asks who the caller is. */
function ask<Admitted, Input>(
  { services, request }: Call,
  input: Promise<Input>,
  admits: Admission<Admitted>,
): Asked<Admitted, Input> {
  const credential = prefetch(presentCredential(services, request));
  const identified = prefetch(credential.then((proved) => proveCredential(services, request, proved)));
  const caller = prefetch(identified.then(({ identity }) => admits.admit(identity)));
  return { credential, identified, caller, input, path: ABSENT, keyId: ABSENT, allowed: ABSENT, key: ABSENT };
}

/** Asks who the caller is, for the key, and whether the operation is allowed, side by side. */
function askForKey<Admitted extends Caller, Input>(
  call: Call,
  input: Promise<Input>,
  spec: Pick<KeySpec<Admitted, Input, unknown>, 'admits' | 'lookup' | 'destroyedToo' | 'operation'>,
): AskedForKey<Admitted, Input> {
  const { services, request } = call;
  const { lookup = byId, destroyedToo = false, operation } = spec;
  const common = ask(call, input, spec.admits);
  const { credential, identified } = common;
  const named = prefetch(credential.then((proved) => lookup(services, request.pathId, proved)));
  const stored = prefetch(named.then(({ read }) => read(identified)));
  const found = prefetch(onlyReachable(stored, identified, destroyedToo));
  const asked = {
    ...common,
    named,
    found,
    path: prefetch(named.then(({ isWellFormed }) => (isWellFormed ? true : Promise.reject(notFound())))),
    keyId: prefetch(named.then(async ({ keyId }) => keyId ?? (await found)?.id)),
    key: prefetch(found.then(orNotFound)),
  };
  return { ...asked, allowed: prefetch(allow(call, operation, asked)) };
}

/** The key if the caller can reach it: every other key is treated as absent. */
async function onlyReachable(
  stored: Promise<Key | undefined>,
  identified: Lookups['identified'],
  destroyedToo: boolean,
): Promise<Key | undefined> {
  const { identity } = await identified;
  const key = await stored;
  if (key === undefined || identity.kind === 'newcomer' || !isOwn(key, identity)) return undefined;
  return isLive(key) || (destroyedToo && key.state === 'destroyed') ? key : undefined;
}

function orNotFound<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw notFound();
  return thing;
}

/** Throws `role_not_allowed` unless a member who calls a route that roles decide on has one that may. */
async function allowRole({ services, id, byRole }: Call, { identified }: Pick<Lookups, 'identified'>): Promise<void> {
  if (!byRole) return;
  const { identity } = await identified;
  if (identity.kind === 'session') await refuseRole(services.policy, identity, id);
}

/** Throws `action_not_allowed` or `role_not_allowed` unless the operation on the key is allowed. */
async function allow(
  call: Call,
  operation: Operation | undefined,
  { credential, named, identified, found, keyId }: AskedForKey<unknown, unknown>,
): Promise<void> {
  const action = operation && ACTION_OF[operation];
  const presented = await credential;
  if (presented.kind === 'person') return allowRole(call, { identified });
  if (!action) return;
  const { isWellFormed, likelyId } = await named;
  // The decision takes longest, so it is asked for with what the last request found, before the reads have ended.
  const policy = call.services.earlyDecisions.begin(presented, likelyId, action);
  if (!isWellFormed) return;
  const { identity } = await identified;
  const key = await found;
  const resource = { keyId: (await keyId) ?? 'none', tier: key?.tier ?? null } as const;
  if (identity.kind === 'api_key') await refuseAction(policy, identity, action, resource);
}

/** Throws `action_not_allowed` or `role_not_allowed` unless the caller may create keys. */
async function allowCreation(call: Call, { identified }: Lookups): Promise<void> {
  const { identity } = await identified;
  if (identity.kind !== 'api_key') return allowRole(call, { identified });
  await refuseAction(call.services.policy, identity, 'create', { keyId: 'new', tier: null });
}

/** Records a refusal where it is to be recorded, and returns what to throw. */
type RecordRefusal = (thrown: unknown) => Promise<ApiError>;

/** For an operation on a key; `found` is `null` where one is created. */
function recordingKeyRefusal(
  { services, request }: Call,
  operation: Operation,
  { caller }: { readonly caller: Promise<Caller> },
  found: Promise<Key | undefined> | null,
): RecordRefusal {
  return async (thrown) =>
    recordedFailure(services, { requestId: request.id, caller: await caller }, operation, found, thrown);
}

/** For a change of the tenant. */
function recordingRefusal(
  { services, request }: Call,
  operation: Administration,
  { caller }: { readonly caller: Promise<Caller> },
  target: () => Promise<Id<string> | null | undefined>,
): RecordRefusal {
  return async (thrown) =>
    recordedRefusal(services, { requestId: request.id, caller: await caller }, operation, target, thrown);
}

/** Passes the steps one after another, whichever answer comes first. */
async function pass({ steps }: Call, asked: Lookups, recordRefusal?: RecordRefusal): Promise<void> {
  for (const { check, recorded } of steps) {
    try {
      await check(asked);
    } catch (thrown) {
      if (recordRefusal === undefined || recorded === undefined) throw thrown;
      throw await recordRefusal(thrown);
    }
  }
}

async function contextOf<Admitted, Input>(
  { request: { id, pathId, clientAddress } }: Call,
  asked: Asked<Admitted, Input>,
): Promise<Context<Admitted, Input>> {
  const caller = await asked.caller;
  return { origin: { requestId: id, caller }, caller, input: await asked.input, pathName: pathId, clientAddress };
}

/** Runs the handler, that of a list or report in its tenant's turn. */
async function reply<Answer>(
  { services, request }: Call,
  { isReport, plainText }: Pick<Spec<unknown, unknown, Answer>, 'isReport' | 'plainText'>,
  { identified }: Lookups,
  handle: () => Promise<Answer | Page<Answer>>,
): Promise<Partial<Reply>> {
  const { identity } = await identified;
  const hasTurn = isReport && identity.kind !== 'newcomer';
  const answer = hasTurn ? await services.reports.take(identity.tenantId, request.ended, handle) : await handle();
  if (answer instanceof Page) return answer;
  return plainText ? { text: String(answer) } : { body: answer };
}

/** What a description says unless the route says otherwise. */
export const UNSAID = {
  operation: undefined,
  dialect: NATIVE,
  feature: undefined,
  body: undefined,
  isBodyOptional: false,
  query: undefined,
  paged: false,
  plainText: false,
  isReport: false,
} as const;

/** A route with a credential: its description, and how it answers once its body has arrived or is late. */
function define<Admitted, Input, Answer>(
  spec: Spec<Admitted, Input, Answer>,
  about: About,
  answer: (call: Call, input: Promise<Input>) => Promise<Partial<Reply>>,
): Route {
  const { dialect = NATIVE, admits, status, otherStatuses = [], refuses, ...said } = spec;
  const takes = dialect.reading(spec.takes);
  const { id, method, operation } = spec;
  const checked = { about, operation, method, credential: admits.credential, takes: spec.takes };
  const byRole = isDecidedByRole(checked);
  const steps = stepsOf(checked);
  return {
    description: {
      ...UNSAID,
      ...said,
      dialect,
      credential: admits.credential,
      body: takes.body,
      isBodyOptional: takes.isBodyOptional ?? false,
      query: takes.query,
      statuses: [status, ...otherStatuses],
      answer: spec.answer,
      refuses: refusalsOf(checked, refuses),
    },
    async respond(services, request) {
      const call = { services, request, steps, id, byRole };
      return { status, ...(await onceArrived(services, request, { takes, admits }, (input) => answer(call, input))) };
    },
  };
}
