import { recordedFailure, recordingFailure } from '../audit/record.ts';
import { API_KEY } from '../auth/admission.ts';
import { refuseForbidden } from '../auth/authorize.ts';
import { type Claim, type Identified, identify, proveClaim, readClaim } from '../auth/identify.ts';
import type { IdentifyNeeds } from '../auth/needs.ts';
import type { Policy } from '../auth/policy.ts';
import type { KeyId } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
import { notFound } from '../errors.ts';
import { isOwn, refuseUnlisted } from '../keys/guards.ts';
import { isLive, type Key } from '../keys/key.ts';
import type { Meter } from '../metering/meter.ts';
import { ACTION_OF, type Action, type Operation } from '../operations.ts';
import type { ApiKeyCaller, Caller } from '../tenancy/caller.ts';
import { onceArrived } from './arrival.ts';
import { NATIVE } from './dialect.ts';
import { byId, byName, type KeyFinder, type NamingNeeds, type Sought } from './key-finder.ts';
import { operate, operateOnEach } from './operate.ts';
import { type About, OF_ANY_REQUEST, OF_METERED, refusalsOf } from './refusals.ts';
import type { Request } from './request.ts';
import { type BinaryFields, Page, type Reply, type Route } from './route.ts';
import type {
  AnyReply,
  Common,
  Given,
  KeyContext,
  KeySpec,
  MeteredNeeds,
  MeteredSpec,
  OpenSpec,
  OperationNeeds,
  OperationSpec,
  PlainSpec,
  ResourceSpec,
  Values,
  ValuesSpec,
  Work,
} from './specs.ts';

/*
 * The order of checks, for every route of the service. The numbers in this file, and in operate.ts, are its steps:
 *
 *  1 request id, 2 route: the intake and the router; 3 credential well-formed; 4 credential proved; 5 kind of credential;
 *  6 path id; 7 key list; 8 action; 9 body; 10 key; then each route's own: 11 fields, 12 state, 13 billing, 14 cap,
 *  15 cryptography, 16 count and audit row.
 *
 * They are made once it is known what became of the body (onceArrived), whose own turn comes at step 9. What they need is
 * asked for as early as may be after that, side by side, and evaluated in this order all the same.
 */

/** A `GET` that needs no credential, and says itself with which status it answers. */
export function openRoute<Needs, Answer>(spec: OpenSpec<Needs, Answer>): Route<Needs> {
  const { respond, ...said } = spec;
  const unused = {
    operation: undefined,
    dialect: NATIVE,
    body: undefined,
    query: undefined,
    paged: false,
    plainText: false,
  };
  return { description: { ...said, method: 'GET', credential: 'none', refuses: OF_ANY_REQUEST, ...unused }, respond };
}

/** A route about no single thing, or about one that the path names. */
export function route<Needs, Name, Admitted, Input, Answer>(
  spec: ResourceSpec<Needs, Name, Admitted, Input, Answer>,
): Route<Needs & IdentifyNeeds>;
export function route<Needs, Admitted, Input, Answer>(
  spec: PlainSpec<Needs, Admitted, Input, Answer>,
): Route<Needs & IdentifyNeeds>;
export function route<Needs, Name, Admitted, Input, Answer>(
  spec: PlainSpec<Needs, Admitted, Input, Answer> | ResourceSpec<Needs, Name, Admitted, Input, Answer>,
): Route<Needs & IdentifyNeeds> {
  const about = 'pathId' in spec ? 'resource' : 'nothing';
  return makeRoute<Needs & IdentifyNeeds, Admitted, Input, Answer>(spec, about, async (needs, request, body) => {
    const caller = spec.admits.admit(await identify(needs, request)); // 3, 4, 5
    const handle = 'pathId' in spec ? withPathId(spec, request) : spec.handle; // 6
    const input = await body; //                                         9
    const origin = { requestId: request.id, caller };
    return handle(needs, { origin, caller, input, pathName: request.pathId });
  });
}

/** The handler of a route about a thing, told which. Throws `not_found` where the path holds no id. */
function withPathId<Needs, Name, Admitted, Input, Answer>(
  { pathId, handle }: ResourceSpec<Needs, Name, Admitted, Input, Answer>,
  request: Request,
): PlainSpec<Needs, Admitted, Input, Answer>['handle'] {
  const id = pathId(request.pathId);
  if (id === undefined) throw notFound();
  return (needs, context) => handle(needs, { ...context, id });
}

/** A route that reads something of one key. */
export function keyRoute<Needs, Admitted extends Caller, Input, Answer>(
  spec: KeySpec<Needs, Admitted, Input, Answer>,
): Route<Needs & IdentifyNeeds> {
  return makeRoute<Needs & IdentifyNeeds, Admitted, Input, Answer>(spec, 'key', async (needs, request, body) => {
    const asked = await askForKey(needs, request, spec.findsKey ?? byId, spec.destroyedToo); // 3
    const caller = await admitTo(asked, spec); //                        4, 5, 6
    refuseUnlisted(caller, await idOf(asked)); //                        7
    const input = await body; //                                         9
    const key = orNotFound(await asked.found); //                        10
    return spec.handle(needs, { origin: { requestId: request.id, caller }, caller, input, key });
  });
}

/** A recorded operation on one key. */
export function operationRoute<Needs, Admitted extends Caller, Input, Answer>(
  spec: OperationSpec<Needs, Admitted, Input, Answer>,
): Route<Needs & OperationNeeds> {
  const { operation, handle } = spec;
  return makeRoute<Needs & OperationNeeds, Admitted, Input, Answer>(spec, 'key', async (needs, request, body) => {
    const asked = await askForOperation(needs, request, operation, spec.findsKey ?? byId); // 3
    const context = await checkOperation(needs, request, body, spec, asked); // 4 to 10
    const { origin, key } = context;
    return recordingFailure(needs, origin, operation, key, () => handle(needs, context));
  });
}

/** One of the five metered operations. */
export function meteredRoute<Needs, Input, Material, Result, Answer extends BinaryFields>(
  spec: MeteredSpec<Needs, Input, Material, Result, Answer>,
): Route<Needs & MeteredNeeds> {
  const { operation, view } = spec;
  const own = { id: operation, method: 'POST', path: `/v1/keys/{id}/${operation}`, status: 200 } as const;
  const common = { ...spec, ...own, admits: API_KEY, refuses: refusesOf(spec), work: spec, findsKey: byId };
  const check = async (needs: Needs & MeteredNeeds, request: Request, body: Promise<Input>): Promise<Answer> => {
    const { context, meter } = await checkMetered(needs, request, body, common);
    return operate(needs, { work: spec, view, meter, context }, context.input);
  };
  return makeRoute(common, 'key', check, (binary) => ({ binary }));
}

/** A metered operation on a key by its name, whose requests may hold several values. */
export function valuesRoute<Needs, Input, Material, Result, One, Answer>(
  spec: ValuesSpec<Needs, Input, Material, Result, One, Answer>,
): Route<Needs & MeteredNeeds & NamingNeeds> {
  const { work, view, reply } = spec;
  const { operation } = work;
  const refuses = [...refusesOf(work), ...(spec.refuses ?? [])];
  const common = { ...spec, operation, admits: API_KEY, refuses, findsKey: byName };
  const check = async (needs: Needs & MeteredNeeds & NamingNeeds, request: Request, body: Promise<Values<Input>>) => {
    const { context, meter } = await checkMetered(needs, request, body, common);
    const operating = { work, view, meter, context };
    const { input } = context;
    const given: Given<One> =
      'one' in input
        ? { one: await operate(needs, operating, input.one) }
        : { several: await operateOnEach(needs, operating, input.several) };
    return reply(request.id, given);
  };
  return makeRoute<Needs & MeteredNeeds & NamingNeeds, ApiKeyCaller, Values<Input>, Answer, AnyReply<Answer>>(
    common,
    'key',
    check,
    (replied) => replied,
  );
}

function refusesOf({
  makesCiphertext,
  refuses,
}: Pick<Work<never, never, never, never>, 'makesCiphertext' | 'refuses'>) {
  return [...OF_METERED, ...(makesCiphertext ? (['billing_required'] as const) : []), ...refuses];
}

/** Steps 3 to 10 of a metered operation; what it is metered by is on its way meanwhile. */
async function checkMetered<Needs extends MeteredNeeds, Values>(
  needs: Needs,
  request: Request,
  body: Promise<Values>,
  spec: Pick<OperationSpec<unknown, ApiKeyCaller, Values, unknown>, 'operation' | 'admits'> & {
    readonly work: Pick<Work<never, never, never, never>, 'makesCiphertext'>;
    readonly findsKey: KeyFinder<Needs>;
  },
): Promise<{ readonly context: KeyContext<ApiKeyCaller, Values>; readonly meter: Meter }> {
  const asked = await askForOperation(needs, request, spec.operation, spec.findsKey); // 3
  const { likelyId, found } = asked;
  const meter = needs.meters.read({ keyId: likelyId, found, makesCiphertext: spec.work.makesCiphertext });
  return { context: await checkOperation(needs, request, body, spec, asked), meter };
}

/** What the checks of a route about a key need, on its way. */
interface Asked extends Pick<Sought, 'isWellFormed' | 'keyId' | 'likelyId'> {
  readonly identified: Promise<Identified>;
  /** The key, if it is one that the caller can reach: any other is as good as absent. */
  readonly found: Promise<Key | undefined>;
}

/** What the checks of an operation on a key need, on its way. */
interface AskedOperation extends Asked {
  /** Rejects with what the operation is refused with where its action was not given. */
  readonly allowed: Promise<void>;
}

/** Asks for a key and for whose the request is, side by side. Throws where the credential is not well-formed. */
async function askForKey<Needs extends IdentifyNeeds>(
  needs: Needs,
  request: Request,
  findsKey: KeyFinder<Needs>,
  destroyedToo = false,
): Promise<Asked> {
  const claim = await readClaim(needs, request);
  return ask(needs, request, claim, findsKey(needs, { text: request.pathId, claim }), destroyedToo);
}

/** {@link askForKey}, and whether the operation is allowed: first of all, as that takes longest. */
async function askForOperation<Needs extends OperationNeeds>(
  needs: Needs,
  request: Request,
  operation: Operation,
  findsKey: KeyFinder<Needs>,
): Promise<AskedOperation> {
  const claim = await readClaim(needs, request);
  const sought = findsKey(needs, { text: request.pathId, claim });
  const action = ACTION_OF[operation];
  const policy = action && needs.earlyDecisions.begin(claim, sought.likelyId, action);
  const asked = ask(needs, request, claim, sought);
  const allowed = policy ? prefetch(refuseForbiddenOn(policy, action, asked)) : Promise.resolve();
  return { ...asked, allowed };
}

/** Asks for what a request names: whose it is, and the key. */
function ask(
  needs: IdentifyNeeds,
  request: Request,
  claim: Claim,
  { isWellFormed, keyId, likelyId, read }: Sought,
  destroyedToo = false,
): Asked {
  const identified = prefetch(proveClaim(needs, request, claim));
  const found = prefetch(onlyReachable(prefetch(read(identified)), identified, destroyedToo));
  return { isWellFormed, keyId, likelyId, identified, found };
}

async function onlyReachable(
  stored: Promise<Key | undefined>,
  identified: Promise<Identified>,
  destroyedToo: boolean,
): Promise<Key | undefined> {
  const { identity } = await identified;
  const key = await stored;
  if (key === undefined || identity.kind === 'newcomer' || !isOwn(key, identity)) return undefined;
  return isLive(key) || (destroyedToo && key.state === 'destroyed') ? key : undefined;
}

async function admitTo<Admitted>(
  { identified, isWellFormed }: Asked,
  { admits }: Pick<Common<Admitted, unknown, unknown>, 'admits'>,
): Promise<Admitted> {
  const { identity, firewall } = await identified; //                    4
  await firewall;
  const caller = admits.admit(identity); //                              5
  if (!isWellFormed) throw notFound(); //                                6
  return caller;
}

/** The id that the path names, `undefined` where it is a name of none. */
function idOf({ keyId, found }: Asked): KeyId | undefined | Promise<KeyId | undefined> {
  return keyId ?? found.then((key) => key?.id);
}

/** The key that was asked for. Throws `not_found` where there is none. */
function orNotFound(key: Key | undefined): Key {
  if (key === undefined) throw notFound();
  return key;
}

/** Steps 4 to 10 of an operation on a key. From step 7 on a failure is recorded. */
async function checkOperation<Admitted extends Caller, Input>(
  needs: OperationNeeds,
  request: Request,
  body: Promise<Input>,
  spec: Pick<OperationSpec<unknown, Admitted, Input, unknown>, 'operation' | 'admits'>,
  asked: AskedOperation,
): Promise<KeyContext<Admitted, Input>> {
  const caller = await admitTo(asked, spec); //                          4, 5, 6
  const origin = { requestId: request.id, caller };
  try {
    refuseUnlisted(caller, await idOf(asked)); //                        7
    await asked.allowed; //                                              8
    const input = await body; //                                         9
    const key = orNotFound(await asked.found); //                        10
    return { origin, caller, input, key };
  } catch (thrown) {
    throw await recordedFailure(needs, origin, spec.operation, asked.found, thrown);
  }
}

/** Refuses an operation whose action the API key was not given, on the key as far as it can reach it. */
async function refuseForbiddenOn(
  policy: Pick<Policy, 'allows'>,
  action: Action,
  { isWellFormed, keyId, identified, found }: Asked,
): Promise<void> {
  if (!isWellFormed) return;
  const { identity } = await identified;
  if (identity.kind === 'newcomer') return;
  const key = await found;
  await refuseForbidden(policy, identity, action, { keyId: keyId ?? key?.id ?? 'none', tier: key?.tier ?? null });
}

function makeRoute<Needs extends IdentifyNeeds, Admitted, Input, Answer, Given = Answer>(
  spec: Common<Admitted, Input, Answer>,
  about: About,
  check: (needs: Needs, request: Request, body: Promise<Input>) => Promise<Given | Page<Given>>,
  render: (given: Given) => Partial<Reply> = spec.plainText ? (text) => ({ text: String(text) }) : (body) => ({ body }),
): Route<Needs> {
  const {
    id,
    operation,
    dialect = NATIVE,
    method,
    path,
    summary,
    status,
    otherStatuses = [],
    answer,
    paged = false,
    plainText = false,
  } = spec;
  const { credential } = spec.admits;
  const { body, query } = spec.takes;
  const statuses = [status, ...otherStatuses];
  const refuses = refusalsOf(spec, about);
  const said = {
    id,
    operation,
    dialect,
    method,
    path,
    summary,
    credential,
    body,
    query,
    paged,
    plainText,
    statuses,
    answer,
    refuses,
  };
  return {
    description: said,
    async respond(needs, request): Promise<Reply> {
      const given = await onceArrived(needs, request, spec, (arrived) => check(needs, request, arrived));
      return { status, ...(given instanceof Page ? given : render(given)) };
    },
  };
}
