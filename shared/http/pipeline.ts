import { recordingFailure } from '../audit/record.ts';
import { refuseForbidden } from '../auth/authorize.ts';
import type { Caller, Identity } from '../auth/caller.ts';
import { identify, readClaim } from '../auth/identify.ts';
import { ahead } from '../base/ahead.ts';
import { type KeyId, parseId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { notFound } from '../errors.ts';
import { isOwn, refuseKeyList, refuseUnlisted } from '../keys/guards.ts';
import { isLive, KEYS, type Key } from '../keys/key.ts';
import type { Action } from '../tenancy/actions.ts';
import { onceArrived } from './arrival.ts';
import type { Request } from './request.ts';
import type { BinaryFields, Reply, Route } from './route.ts';
import type {
  Common,
  CreateSpec,
  KeyContext,
  KeySpec,
  MeteredSpec,
  OpenSpec,
  PlainSpec,
  ResourceSpec,
} from './specs.ts';

/*
 * The order of checks, for every route of the service. The numbers in this file are its steps:
 *
 *  1 request id, 2 route: the intake and the router; 3 credential well-formed; 4 credential proved; 5 kind of credential;
 *  6 path id; 7 key list; 8 action; 9 body; 10 key; then each route's own: 11 fields, 12 state, 13 billing, 14 cap,
 *  15 cryptography, 16 count and audit row.
 *
 * They are made once it is known what became of the body (onceArrived), whose own turn comes at step 9. What they need is
 * asked for as early as may be after that, side by side, and evaluated in this order all the same.
 */

/** A `GET` that needs no credential, and says itself with which status it answers. */
export function openRoute<Answer>(spec: OpenSpec<Answer>): Route {
  const { path, summary, statuses, answer, respond } = spec;
  const unused = { action: undefined, operation: undefined, body: undefined, query: undefined };
  return { description: { method: 'GET', path, summary, credential: 'none', statuses, answer, ...unused }, respond };
}

/** A route about no single thing. */
export function plainRoute<Admitted, Input, Answer>(spec: PlainSpec<Admitted, Input, Answer>): Route {
  return makeRoute(spec, async (env, request, body) => {
    const { identity, firewall } = await identify(env, request); //   3, 4
    await firewall;
    const caller = spec.admits.admit(identity); //                    5
    const input = await body; //                                      9
    return spec.handle({ env, request, caller, input });
  });
}

/** A route about one thing of the console's, named in the path. */
export function resourceRoute<Name, Admitted, Input, Answer>(spec: ResourceSpec<Name, Admitted, Input, Answer>): Route {
  return makeRoute(spec, async (env, request, body) => {
    const { identity, firewall } = await identify(env, request); //   3, 4
    await firewall;
    const caller = spec.admits.admit(identity); //                    5
    const id = spec.pathId(request.pathId); //                        6
    if (id === undefined) throw notFound();
    const input = await body; //                                      9
    return spec.handle({ env, request, caller, input, id });
  });
}

/** The creation of a key, whose body comes before what the API key may do. */
export function createRoute<Input, Answer>(spec: CreateSpec<Input, Answer>): Route {
  return makeRoute(spec, async (env, request, body) => {
    const { identity, firewall } = await identify(env, request); //   3, 4
    await firewall;
    const caller = spec.admits.admit(identity); //                    5
    const input = await body; //                                      9
    const noKey = Promise.resolve(null);
    return recordingFailure(env, { requestId: request.id, caller }, spec.operation, noKey, async () => {
      refuseKeyList(caller); //                                       7
      await refuseForbidden(env, caller, spec.action, { keyId: 'new', tier: null }); // 8
      return spec.handle({ env, request, caller, input });
    });
  });
}

/** A route about one key. */
export function keyRoute<Admitted extends Caller, Input, Answer>(spec: KeySpec<Admitted, Input, Answer>): Route {
  return makeRoute(spec, (env, request, body) =>
    checkKeyRoute(
      env,
      request,
      body,
      spec,
      () => () => undefined,
      (context) => spec.handle(context),
    ),
  );
}

/** One of the five metered operations. */
export function meteredRoute<Input, Answer extends BinaryFields>(spec: MeteredSpec<Input, Answer>): Route {
  return makeRoute(
    spec,
    (env, request, body) =>
      checkKeyRoute(
        env,
        request,
        body,
        spec,
        (keyId) => spec.meter(env, keyId),
        (context, meter) => spec.handle({ ...context, meter }),
      ),
    (binary) => ({ binary }),
  );
}

async function checkKeyRoute<Admitted extends Caller, Input, Early, Answer>(
  env: Env,
  request: Request,
  body: Promise<Input>,
  spec: Common<Admitted, Input, Answer> & { readonly destroyedToo?: true },
  askEarly: (keyId: KeyId) => (key: Key) => Early,
  handle: (context: KeyContext<Admitted, Input>, early: Early) => Promise<Answer>,
): Promise<Answer> {
  const { action, operation } = spec;
  const claim = await readClaim(env, request); //                     3, and of 4 what needs nothing stored
  const pathId = parseId<KeyId>(request.pathId);
  const stored = ahead(Promise.resolve(pathId && env.store.find(KEYS, pathId)));
  const askRest = pathId && askEarly(pathId);
  const { identity, firewall } = await identify(env, request, claim); // 4
  const found = ahead(stored.then((key) => onlyReachable(key, identity, spec.destroyedToo)));
  const allowed = action && ahead(found.then((key) => refuseForbiddenOn(env, identity, action, pathId, key)));
  const foundEarly = ahead(found.then((key) => key && askRest && { key, early: askRest(key) }));
  await firewall;
  const caller = spec.admits.admit(identity); //                      5
  if (pathId === undefined) throw notFound(); //                      6
  return recordingFailure(env, { requestId: request.id, caller }, operation, found, async () => {
    refuseUnlisted(caller, pathId); //                                7
    await allowed; //                                                 8
    const input = await body; //                                      9
    const ready = await foundEarly; //                               10
    if (ready === undefined) throw notFound();
    return handle({ env, request, caller, input, key: ready.key }, ready.early);
  });
}

/** Whatever the caller cannot reach is as good as absent from here on. */
function onlyReachable(key: Key | undefined, identity: Identity, destroyedToo = false): Key | undefined {
  if (key === undefined || identity.kind === 'newcomer' || !isOwn(key, identity)) return undefined;
  return isLive(key) || (destroyedToo && key.state === 'destroyed') ? key : undefined;
}

async function refuseForbiddenOn(
  env: Env,
  identity: Identity,
  action: Action,
  keyId: KeyId | undefined,
  key: Key | undefined,
): Promise<void> {
  if (identity.kind === 'newcomer' || keyId === undefined) return;
  await refuseForbidden(env, identity, action, { keyId, tier: key?.tier ?? null });
}

function makeRoute<Admitted, Input, Answer>(
  spec: Common<Admitted, Input, Answer>,
  check: (env: Env, request: Request, body: Promise<Input>) => Promise<Answer>,
  render: (answer: Answer) => Omit<Reply, 'status'> = (body) => ({ body }),
): Route {
  const { method, path, summary, action, operation, status, answer } = spec;
  const { credential } = spec.admits;
  const { body, query } = spec.takes;
  return {
    description: {
      method,
      path,
      summary,
      credential,
      action,
      operation,
      body,
      query,
      statuses: [status],
      answer,
    },
    async respond(env, request): Promise<Reply> {
      const answer = await onceArrived(env, request, spec, (body) => check(env, request, body));
      return { status, ...render(answer) };
    },
  };
}
