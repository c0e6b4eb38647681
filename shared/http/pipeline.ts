import type { z } from 'zod';
import type { Operation } from '../audit/event.ts';
import { makeEvent, recordFailure } from '../audit/record.ts';
import {
  asCaller,
  authenticateApiKey,
  authenticateSession,
  noteUse,
  refuseOutsideFirewall,
} from '../auth/authenticate.ts';
import { refuseForbidden } from '../auth/authorize.ts';
import type { Admission, ApiKeyCaller, Caller, Identity } from '../auth/caller.ts';
import { readCredential } from '../auth/credential.ts';
import { ahead } from '../base/ahead.ts';
import { type KeyId, parseId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { notFound, toApiError } from '../errors.ts';
import { isReachable, refuseKeyList, refuseUnlisted } from '../keys/guards.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { Meter } from '../metering/meter.ts';
import type { Action } from '../tenancy/actions.ts';
import type { BodyReader } from './body.ts';
import type { Request } from './request.ts';
import type { Method, Reply, Route } from './route.ts';

/*
 * The order of checks, for every route of the service. The numbers in this file are its steps:
 *
 *  1 request id, 2 route: the intake and the router; 3 credential well-formed; 4 credential proved; 5 kind of credential;
 *  6 path id; 7 key list; 8 action; 9 body; 10 key; then each route's own: 11 fields, 12 state, 13 billing, 14 cap,
 *  15 cryptography, 16 count and audit row.
 *
 * What the checks need is asked for as early as may be, side by side. They are evaluated in this order all the same.
 */

interface Common<Admitted, Body, Answer> {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly admits: Admission<Admitted>;
  readonly action?: Action;
  readonly operation?: Operation;
  readonly body: BodyReader<Body>;
  readonly status: number;
  readonly answer?: z.ZodType<unknown, Answer>;
}

/** What a handler works with once the checks before it have passed. */
export interface Context<Admitted, Body> {
  readonly env: Env;
  readonly request: Request;
  readonly caller: Admitted;
  readonly body: Body;
}

type KeyContext<Admitted, Body> = Context<Admitted, Body> & { readonly key: Key };
type MeteredContext<Body> = KeyContext<ApiKeyCaller, Body> & { readonly meter: Meter };

interface PlainSpec<Admitted, Body, Answer> extends Common<Admitted, Body, Answer> {
  handle(context: Context<Admitted, Body>): Promise<Answer>;
}

interface ResourceSpec<Name, Admitted, Body, Answer> extends Common<Admitted, Body, Answer> {
  /** Reads the id in the path, as an id of the thing that the route is about. */
  pathId(text: string): Name | undefined;
  handle(context: Context<Admitted, Body> & { readonly id: Name }): Promise<Answer>;
}

interface CreateSpec<Body, Answer> extends Common<Caller, Body, Answer> {
  readonly action: Action;
  readonly operation: Operation;
  handle(context: Context<Caller, Body>): Promise<Answer>;
}

interface KeySpec<Admitted extends Caller, Body, Answer> extends Common<Admitted, Body, Answer> {
  handle(context: KeyContext<Admitted, Body>): Promise<Answer>;
}

interface MeteredSpec<Body, Answer> extends Common<ApiKeyCaller, Body, Answer> {
  readonly action: Action;
  readonly operation: Operation;
  /** Asks for the count and the standing that decide steps 13 and 14. */
  meter(env: Env, key: Key): Meter;
  handle(context: MeteredContext<Body>): Promise<Answer>;
}

/** A `GET` that needs no credential, and says itself with which status it answers. */
export function openRoute<Answer>(spec: {
  readonly path: string;
  readonly summary: string;
  readonly statuses: readonly number[];
  readonly answer: z.ZodType<unknown, Answer>;
  respond(env: Env): Promise<{ readonly status: number; readonly body: Answer }>;
}): Route {
  const { path, summary, statuses, answer, respond } = spec;
  const unused = { action: undefined, operation: undefined, body: undefined };
  return { description: { method: 'GET', path, summary, credential: 'none', statuses, answer, ...unused }, respond };
}

/** A route about no single thing. */
export function plainRoute<Admitted, Body, Answer>(spec: PlainSpec<Admitted, Body, Answer>): Route {
  return makeRoute(spec, async (env, request) => {
    const { identity, firewall } = await identify(env, request); //   3, 4
    await firewall;
    const caller = spec.admits.admit(identity); //                    5
    const body = await spec.body.read(request.message); //            9
    return spec.handle({ env, request, caller, body });
  });
}

/** A route about one thing of the console's, named in the path. */
export function resourceRoute<Name, Admitted, Body, Answer>(spec: ResourceSpec<Name, Admitted, Body, Answer>): Route {
  return makeRoute(spec, async (env, request) => {
    const { identity, firewall } = await identify(env, request); //   3, 4
    await firewall;
    const caller = spec.admits.admit(identity); //                    5
    const id = spec.pathId(request.pathId); //                        6
    if (id === undefined) throw notFound();
    const body = await spec.body.read(request.message); //            9
    return spec.handle({ env, request, caller, body, id });
  });
}

/** The creation of a key, which reads its body before it looks at what the API key may do. */
export function createRoute<Body, Answer>(spec: CreateSpec<Body, Answer>): Route {
  return makeRoute(spec, async (env, request) => {
    const { identity, firewall } = await identify(env, request); //   3, 4
    await firewall;
    const caller = spec.admits.admit(identity); //                    5
    const body = await spec.body.read(request.message); //            9
    const nobody = async () => null;
    return recordingFailure(env, request, caller, spec.operation, nobody, async () => {
      refuseKeyList(caller); //                                       7
      await refuseForbidden(env, caller, spec.action, { keyId: 'new', tier: null }); // 8
      return spec.handle({ env, request, caller, body });
    });
  });
}

/** A route about one key. */
export function keyRoute<Admitted extends Caller, Body, Answer>(spec: KeySpec<Admitted, Body, Answer>): Route {
  return makeRoute(spec, (env, request) =>
    checkKeyRoute(
      env,
      request,
      spec,
      () => undefined,
      (context) => spec.handle(context),
    ),
  );
}

/** One of the five metered operations. */
export function meteredRoute<Body, Answer>(spec: MeteredSpec<Body, Answer>): Route {
  return makeRoute(spec, (env, request) =>
    checkKeyRoute(
      env,
      request,
      spec,
      (key) => spec.meter(env, key),
      (context, meter) => spec.handle({ ...context, meter }),
    ),
  );
}

async function checkKeyRoute<Admitted extends Caller, Body, Early, Answer>(
  env: Env,
  request: Request,
  spec: Common<Admitted, Body, Answer>,
  early: (key: Key) => Early,
  handle: (context: KeyContext<Admitted, Body>, early: Early) => Promise<Answer>,
): Promise<Answer> {
  const { action, operation } = spec;
  const stored = ahead(findStoredKey(env, request));
  const { identity, firewall } = await identify(env, request); //     3, 4
  const found = ahead(stored.then((key) => onlyReachable(key, identity)));
  const allowed = action && ahead(found.then((key) => refuseForbiddenOn(env, identity, action, request, key)));
  const foundEarly = ahead(found.then((key) => key && { key, early: early(key) }));
  const read = ahead(spec.body.read(request.message));
  await firewall;
  const caller = spec.admits.admit(identity); //                      5
  const keyId = parseId<KeyId>(request.pathId); //                    6
  if (keyId === undefined) throw notFound();
  const reachable = async () => (await found)?.id;
  return recordingFailure(env, request, caller, operation, reachable, async () => {
    refuseUnlisted(caller, keyId); //                                 7
    await allowed; //                                                 8
    const body = await read; //                                       9
    const ready = await foundEarly; //                               10
    if (ready === undefined) throw notFound();
    return handle({ env, request, caller, body, key: ready.key }, ready.early);
  });
}

async function identify(env: Env, request: Request): Promise<{ identity: Identity; firewall: Promise<void> }> {
  const credential = readCredential(env.config, request);
  if (credential.kind === 'access_token') {
    return { identity: await authenticateSession(env, credential.accessToken), firewall: Promise.resolve() };
  }
  const apiKey = await authenticateApiKey(env, credential.token);
  const firewall = refuseOutsideFirewall(env, apiKey, request).then(() => noteUse(env, apiKey));
  return { identity: asCaller(apiKey), firewall: ahead(firewall) };
}

async function findStoredKey(env: Env, request: Request): Promise<Key | undefined> {
  const id = parseId<KeyId>(request.pathId);
  return id && env.store.find(KEYS, id);
}

/** Whatever the caller cannot reach is as good as absent from here on. */
function onlyReachable(key: Key | undefined, identity: Identity): Key | undefined {
  return key !== undefined && identity.kind !== 'newcomer' && isReachable(key, identity) ? key : undefined;
}

async function refuseForbiddenOn(
  env: Env,
  identity: Identity,
  action: Action,
  request: Request,
  key: Key | undefined,
): Promise<void> {
  const keyId = parseId<KeyId>(request.pathId);
  if (identity.kind === 'newcomer' || keyId === undefined) return;
  await refuseForbidden(env, identity, action, { keyId, tier: key?.tier ?? null });
}

/** Runs the steps from 7 on; what they refuse is recorded as that operation, failed, unless the catalogue says otherwise. */
async function recordingFailure<Answer>(
  env: Env,
  request: Request,
  caller: Caller,
  operation: Operation | undefined,
  about: () => Promise<KeyId | null | undefined>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    const error = toApiError(thrown);
    const keyId = operation !== undefined && error.recorded ? await about() : undefined;
    if (operation !== undefined && keyId !== undefined) {
      await recordFailure(env, makeEvent(env, { requestId: request.id, caller }, operation, keyId, error.code));
    }
    throw error;
  }
}

function makeRoute<Admitted, Body, Answer>(
  spec: Common<Admitted, Body, Answer>,
  run: (env: Env, request: Request) => Promise<Answer>,
): Route {
  const { method, path, summary, action, operation, status, answer } = spec;
  const credential = spec.admits.credential;
  return {
    description: {
      method,
      path,
      summary,
      credential,
      action,
      operation,
      body: spec.body.shape,
      statuses: [status],
      answer,
    },
    async respond(env, request): Promise<Reply> {
      return { status, body: await run(env, request) };
    },
  };
}
