import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { keyEventsOfTenant } from '../support/audit.ts';
import { type Answer, control, list, outcome, text } from '../support/client.ts';
import { ALL_ACTIONS, ALL_TIERS, type Client, makeContainer, makeTenant, type Tier } from '../support/tenant.ts';

const stack = inject('stack');

/** A sender of requests: a session of a tenant, or an API key with its permissions. */
interface Actor {
  readonly tenant: number;
  readonly kind: 'session' | 'api_key';
  readonly id: string;
  /** The container of the API key; for a session, the default container. */
  readonly container: string;
  actions: readonly string[];
  keyIds: readonly string[] | null;
}

interface ModelKey {
  readonly id: string;
  readonly tenant: number;
  readonly container: string;
  readonly tier: Tier;
  name: string;
  state: 'active' | 'pending_deletion' | 'destroyed';
  primary: number;
  ops: number;
}

/** A row of the audit log, without the fields that the model cannot predict. */
interface ModelRow {
  readonly operation: string;
  readonly error_code: string | null;
  readonly key_id: string | null;
  readonly api_key_id: string | null;
  readonly user_id: string | null;
}

interface Sealed {
  readonly key: ModelKey;
  readonly version: number;
  readonly ciphertext: string;
}

interface World {
  readonly actors: readonly Actor[];
  readonly keys: ModelKey[];
  readonly sealed: Sealed[];
  /** The audit rows of each tenant, oldest first. */
  readonly rows: readonly ModelRow[][];
  /** For each tenant, whether its billing is in good standing. */
  readonly standing: boolean[];
}

/** The number of versions that stay enabled after a rotation. */
const RETAINED: Readonly<Record<Tier, number>> = { free: 1, wrapped: 1, software: 3, hsm: 2 };

function isReachable(actor: Actor, key: ModelKey): boolean {
  const isInScope = actor.kind === 'session' || key.container === actor.container;
  return key.tenant === actor.tenant && key.state !== 'destroyed' && isInScope;
}

function visibleKeys({ keys }: World, actor: Actor): ModelKey[] {
  return keys.filter((key) => isReachable(actor, key) && (actor.keyIds === null || actor.keyIds.includes(key.id)));
}

function record(world: World, actor: Actor, operation: string, keyId: string | null, code: string | null) {
  world.rows[actor.tenant]?.push({
    operation,
    error_code: code,
    key_id: keyId,
    api_key_id: actor.kind === 'api_key' ? actor.id : null,
    user_id: actor.kind === 'session' ? actor.id : null,
  });
  return code;
}

/** An operation on a key: its name in the audit log and the action that it needs. */
interface Operation {
  readonly name: string;
  readonly action: string | undefined;
}

/** Predicts an operation: shared checks, then `apply`, whose `undefined` is an unrecorded success. Returns its code. */
function predict(
  world: World,
  actor: Actor,
  key: ModelKey,
  { name, action }: Operation,
  apply: () => string | null | undefined,
): string | null {
  const reachable = isReachable(actor, key);
  const recorded = (code: string | null) => (reachable ? record(world, actor, name, key.id, code) : code);
  if (actor.keyIds !== null && !actor.keyIds.includes(key.id)) return recorded('key_not_allowed');
  if (actor.kind === 'api_key' && action !== undefined && !actor.actions.includes(action)) {
    return recorded('action_not_allowed');
  }
  if (!reachable) return 'not_found';
  const code = apply();
  return code === undefined ? null : recorded(code);
}

function predictChange(world: World, actor: Actor, key: ModelKey, operation: Operation): string | null {
  const pending = key.state === 'pending_deletion';
  return predict(world, actor, key, operation, () => {
    switch (operation.name) {
      case 'delete_key':
        if (pending) return undefined;
        key.state = 'pending_deletion';
        return null;
      case 'restore_key':
        if (!pending) return 'not_pending_deletion';
        key.state = 'active';
        return null;
      case 'rotate_key':
        if (pending) return 'key_pending_deletion';
        key.primary += 1;
        return null;
      default:
        key.state = 'destroyed';
        return null;
    }
  });
}

function predictRename(world: World, actor: Actor, key: ModelKey, name: string): string | null {
  return predict(world, actor, key, { name: 'rename_key', action: 'rename' }, () => {
    if (key.state === 'pending_deletion') return 'key_pending_deletion';
    if (key.name === name) return undefined;
    if (isTaken(world, key.container, name)) return 'key_exists';
    key.name = name;
    return null;
  });
}

/** Predicts the creation of a key. Records only a refusal: a new key has no id yet. Returns its code, or `null`. */
function predictCreate(world: World, actor: Actor, tier: Tier, name: string, container: string): string | null {
  const refuse = (code: string) => record(world, actor, 'create_key', null, code);
  if (actor.keyIds !== null) return refuse('key_not_allowed');
  if (actor.kind === 'api_key' && !actor.actions.includes('create')) return refuse('action_not_allowed');
  if (actor.kind === 'api_key' && container !== actor.container) return refuse('invalid_container');
  if (tier !== 'free' && world.standing[actor.tenant] !== true) return refuse('billing_required');
  if (isTaken(world, container, name)) return refuse('key_exists');
  const isLiveFreeKey = (key: ModelKey) =>
    key.tier === 'free' && key.tenant === actor.tenant && key.state !== 'destroyed';
  return tier === 'free' && world.keys.some(isLiveFreeKey) ? refuse('free_key_exists') : null;
}

function predictEncrypt(world: World, actor: Actor, key: ModelKey): string | null {
  return predict(world, actor, key, { name: 'encrypt', action: 'encrypt' }, () => {
    if (key.state === 'pending_deletion') return 'key_pending_deletion';
    if (key.tier !== 'free' && world.standing[key.tenant] !== true) return 'billing_required';
    key.ops += 1;
    return null;
  });
}

function predictDecrypt(world: World, actor: Actor, { key, version }: Sealed): string | null {
  return predict(world, actor, key, { name: 'decrypt', action: 'decrypt' }, () => {
    if (key.state === 'pending_deletion') return 'key_pending_deletion';
    if (version <= key.primary - RETAINED[key.tier]) return 'invalid_ciphertext';
    key.ops += 1;
    return null;
  });
}

function isTaken({ keys }: World, container: string, name: string): boolean {
  return keys.some((key) => key.container === container && key.name === name && key.state !== 'destroyed');
}

/** Makes two tenants with a session, four API keys and a key. Only the first tenant's billing is in good standing. */
async function makeSetting() {
  const actors: Actor[] = [];
  const world: World = { actors, keys: [], sealed: [], rows: [[], []], standing: [true, false] };
  /** The HTTP clients of the actors, in their order. */
  const clients: Client[] = [];
  const tenantIds: string[] = [];
  /** For each tenant, the ids of its default container and of a second container. */
  const containers: string[][] = [];
  /** For each tenant, all ids that belong to it. Answers to the other tenant must not contain them. */
  const ids = [new Set<string>(), new Set<string>()];
  for (const [tenant, standing] of ['active', 'none'].entries()) {
    const made = await makeTenant(stack, standing);
    const user = Object(Object((await made.console.send('GET', '/v1/me')).body).user);
    const [first] = list(await made.console.send('GET', '/v1/containers'));
    const own = [String(first?.id), await makeContainer(made)];
    const [container = '', other = ''] = own;
    const tier: Tier = tenant === 0 ? 'wrapped' : 'free';
    const key = await made.createKey(tier, 'first');
    const limited = ['encrypt', 'decrypt', 'rotate'];
    const add = (kind: Actor['kind'], id: string, client: Client, rest: Partial<Actor> = {}) => {
      actors.push({ tenant, kind, id, container, actions: ALL_ACTIONS, keyIds: null, ...rest });
      clients.push(client);
    };
    const mint = async (options: Parameters<typeof made.mint>[0], rest: Partial<Actor>) => {
      const { id, client } = await made.mint(options);
      add('api_key', id, client, rest);
    };
    add('session', user.id, made.console);
    add('api_key', made.apiKeyId, made.api);
    await mint({ allowed_actions: limited }, { actions: limited });
    await mint({ container_id: other }, { container: other });
    await mint({ key_ids: [key] }, { keyIds: [key] });
    world.keys.push({ id: key, tenant, container, tier, name: 'first', state: 'active', primary: 1, ops: 0 });
    const creator = actors.at(-4);
    if (creator !== undefined) record(world, creator, 'create_key', key, null);
    tenantIds.push(made.id);
    containers.push(own);
    for (const id of [made.id, user.id, key, ...own, ...actors.slice(-4).map((actor) => actor.id)])
      ids[tenant]?.add(id);
  }
  const ask = async (actor: Actor, method: string, path: string, body?: unknown): Promise<Answer> => {
    const client = clients[actors.indexOf(actor)];
    if (client === undefined) throw new Error('the actor has no client');
    const answer = await client.send(method, path, body);
    const answerText = JSON.stringify([answer.body, [...answer.headers]]);
    const foreign = [...(ids[1 - actor.tenant] ?? [])].filter((id) => answerText.includes(id));
    expect(foreign, `${method} ${path} returned ids of another tenant`).toEqual([]);
    return answer;
  };
  return { world, setting: { tenantIds, containers, clients, ids, ask } };
}

type Setting = Awaited<ReturnType<typeof makeSetting>>['setting'];

/** Generates a step of a sequence: it sends a request and checks that the service answers as the model predicts. */
function step<Input>(
  name: string,
  input: fc.Arbitrary<Input>,
  take: (world: World, setting: Setting, input: Input) => Promise<void>,
): fc.Arbitrary<fc.AsyncCommand<World, Setting>> {
  return input.map((chosen) => {
    const shown = () => `${name}${fc.stringify(chosen)}`;
    const run = (world: World, setting: Setting) => take(world, setting, chosen);
    return { check: () => true, run, toString: shown, [fc.toStringMethod]: shown };
  });
}

function pick<T>(from: readonly T[], at: number): T {
  const chosen = from[at % from.length];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
}

/** Checks that the answer has the error code, or is a success if the code is `null`. */
function expectCode(answer: Answer, code: string | null): void {
  expect(outcome(answer).replace(/^\d{3} /, '')).toMatch(code === null ? /^20[014]$/ : new RegExp(`^${code}$`));
}

/** Returns an actor of the key's tenant, and of the given kind if any. In one of eight cases, returns any actor. */
function pickFor(world: World, key: ModelKey, by: number, kind?: Actor['kind']): Actor {
  const own = world.actors.filter((actor) => actor.tenant === key.tenant && actor.kind === (kind ?? actor.kind));
  return by % 8 === 0 ? pick(world.actors, by >> 3) : pick(own, by >> 3);
}

const at = fc.nat(9_999);
const name = fc.constantFrom('first', 'orders', 'invoices', 'refunds', 'returns', 'claims');

const create = step(
  'create',
  fc.record({ by: at, tier: fc.constantFrom(...ALL_TIERS), name, where: fc.constantFrom(0, 0, 0, 1) }),
  async (world, setting, input) => {
    const actor = pick(world.actors, input.by);
    const container = pick(setting.containers[actor.tenant] ?? [], input.where);
    const code = predictCreate(world, actor, input.tier, input.name, container);
    const body = { name: input.name, tier: input.tier, container_id: container };
    const answer = await setting.ask(actor, 'POST', '/v1/keys', body);
    expectCode(answer, code);
    if (code !== null) return;
    const id = text(answer, 'id');
    const { tenant } = actor;
    const { tier } = input;
    world.keys.push({ id, tenant, container, tier, name: input.name, state: 'active', primary: 1, ops: 0 });
    record(world, actor, 'create_key', id, null);
    setting.ids[tenant]?.add(id);
  },
);

const CHANGES: readonly (Operation & { readonly method: string; readonly path: string; readonly weight: number })[] = [
  { name: 'delete_key', action: 'delete', method: 'DELETE', path: '', weight: 3 },
  { name: 'restore_key', action: 'restore', method: 'POST', path: '/restore', weight: 4 },
  { name: 'rotate_key', action: 'rotate', method: 'POST', path: '/rotate', weight: 3 },
  { name: 'destroy_key', action: undefined, method: 'POST', path: '/destroy', weight: 1 },
];
const changes = fc.oneof(...CHANGES.map((one) => ({ weight: one.weight, arbitrary: fc.constant(one) })));

const change = step('change', fc.record({ by: at, key: at, change: changes }), async (world, setting, input) => {
  const key = pick(world.keys, input.key);
  const actor = pickFor(world, key, input.by);
  const { method, path, ...operation } = input.change;
  const isForSessions = operation.name === 'destroy_key' && actor.kind === 'api_key';
  const code = isForSessions ? 'session_required' : predictChange(world, actor, key, operation);
  expectCode(await setting.ask(actor, method, `/v1/keys/${key.id}${path}`), code);
});

const rename = step('rename', fc.record({ by: at, key: at, name }), async (world, setting, input) => {
  const key = pick(world.keys, input.key);
  const actor = pickFor(world, key, input.by);
  const code = predictRename(world, actor, key, input.name);
  expectCode(await setting.ask(actor, 'PATCH', `/v1/keys/${key.id}`, { name: input.name }), code);
});

const encrypt = step('encrypt', fc.record({ by: at, key: at }), async (world, setting, input) => {
  const key = pick(world.keys, input.key);
  const actor = pickFor(world, key, input.by, 'api_key');
  const code = actor.kind === 'session' ? 'api_key_required' : predictEncrypt(world, actor, key);
  const answer = await setting.ask(actor, 'POST', `/v1/keys/${key.id}/encrypt`, { plaintext: 'AAAA' });
  expectCode(answer, code);
  if (code === null) world.sealed.push({ key, version: key.primary, ciphertext: text(answer, 'ciphertext') });
});

const decrypt = step('decrypt', fc.record({ by: at, sealed: at }), async (world, setting, input) => {
  if (world.sealed.length === 0) return;
  const sealed = pick(world.sealed, input.sealed);
  const actor = pickFor(world, sealed.key, input.by, 'api_key');
  const code = actor.kind === 'session' ? 'api_key_required' : predictDecrypt(world, actor, sealed);
  const { key, ciphertext } = sealed;
  const answer = await setting.ask(actor, 'POST', `/v1/keys/${key.id}/decrypt`, { ciphertext });
  expectCode(answer, code);
  if (code === null) expect(answer.body).toEqual({ plaintext: 'AAAA' });
});

async function expectList(world: World, setting: Setting, actor: Actor): Promise<void> {
  const shown = list(await setting.ask(actor, 'GET', '/v1/keys'));
  const expected = visibleKeys(world, actor).map(({ id, name, tier, state, primary, container }) => ({
    ...{ id, name, tier, state },
    primary_version: primary,
    container_id: container,
  }));
  expect(shown).toMatchObject(expected);
  expect(shown).toHaveLength(expected.length);
}

const lists = step('list', fc.record({ by: at }), (world, setting, { by }) =>
  expectList(world, setting, pick(world.actors, by)),
);

const restrict = step(
  'restrict',
  fc.record({ by: at, actions: fc.subarray([...ALL_ACTIONS]), key: fc.option(at) }),
  async (world, setting, input) => {
    const apiKeys = world.actors.filter(({ kind, keyIds, actions }) => {
      return kind === 'api_key' && (keyIds !== null || actions.length < ALL_ACTIONS.length);
    });
    if (apiKeys.length === 0) return;
    const actor = pick(apiKeys, input.by);
    const session = world.actors.find(({ kind, tenant }) => kind === 'session' && tenant === actor.tenant);
    if (session === undefined) throw new Error('the tenant has no actor with a session');
    const own = visibleKeys(world, session).filter(({ container }) => container === actor.container);
    const keyIds = input.key === null || own.length === 0 ? null : [pick(own, input.key).id];
    const body = { allowed_actions: input.actions, key_ids: keyIds };
    expect(outcome(await setting.ask(session, 'PATCH', `/v1/api-keys/${actor.id}`, body))).toBe('200');
    Object.assign(actor, { actions: input.actions, keyIds });
  },
);

const subscribe = step('subscribe', fc.record({ isGood: fc.boolean() }), async (world, setting, { isGood }) => {
  const change = { tenant_id: setting.tenantIds[0], status: isGood ? 'active' : 'canceled' };
  await control(stack, 'POST', '/stripe/subscription', change);
  world.standing[0] = isGood;
});

/** Generates sequences of steps. Steps that use keys are more frequent than steps that change permissions. */
const commands = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: create },
    { weight: 3, arbitrary: change },
    { weight: 1, arbitrary: rename },
    { weight: 5, arbitrary: encrypt },
    { weight: 4, arbitrary: decrypt },
    { weight: 1, arbitrary: lists },
    { weight: 1, arbitrary: restrict },
    { weight: 1, arbitrary: subscribe },
  ),
  { minLength: 150, maxLength: 150 },
);

/** Checks that the lists, the usage report and the audit log of every tenant match the model. */
async function expectAgreement(world: World, setting: Setting): Promise<void> {
  for (const actor of world.actors) await expectList(world, setting, actor);
  for (const [index, actor] of world.actors.entries()) {
    const client = setting.clients[index];
    if (actor.kind !== 'session' || client === undefined) continue;
    const usage = list(await setting.ask(actor, 'GET', '/v1/usage'));
    const counted = world.keys.filter(({ tenant, state, ops }) => {
      return tenant === actor.tenant && (state !== 'destroyed' || ops > 0);
    });
    expect(usage.map(({ key_id, ops }) => ({ key_id, ops }))).toEqual(
      counted.map(({ id, ops }) => ({ key_id: id, ops })),
    );
    await setting.ask(actor, 'GET', '/v1/audit?limit=1000');
    const rows = (await keyEventsOfTenant(client)).map(({ operation, error_code, key_id, api_key_id, user_id }) => {
      return { operation, error_code, key_id, api_key_id, user_id };
    });
    expect(rows.reverse()).toEqual(world.rows[actor.tenant]);
  }
}

test('for any sequence of requests from two tenants, every answer, list, count and audit row matches the model', async () => {
  const property = fc.asyncProperty(commands, async (steps) => {
    const { world, setting } = await makeSetting();
    await fc.asyncModelRun(() => ({ model: world, real: setting }), steps);
    await expectAgreement(world, setting);
  });
  // The runs are parallel, because each run mostly waits. A failed run prints a seed that repeats the run.
  // Failures are not shrunk, because shrinking takes too long against a real stack.
  const runs = Array.from({ length: 3 }, () => fc.assert(property, { numRuns: 1, endOnFailure: true }));
  await Promise.all(runs);
});
