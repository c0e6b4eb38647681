import { randomUUID } from 'node:crypto';
import { setSubscription } from '../support/billing.ts';
import { fillPath, methodOf, pathOf } from '../support/calls.ts';
import { type Addresses, type Answer, type Extras, send, text } from '../support/client.ts';
import { setCount } from '../support/counts.ts';
import { goodRequests } from '../support/good-requests.ts';
import { sendRaw } from '../support/raw.ts';
import type { RouteRow } from '../support/route-table.ts';
import type { GoodRequest } from '../support/send-good.ts';
import { DAY_MS, later, mendStack, setClock } from '../support/steer.ts';
import { inviteTo, join } from '../support/team.ts';
import { fillTeam } from '../support/team-size.ts';
import { Client, makeTenant, signIn, type Tenant } from '../support/tenant.ts';
import { reachCap } from '../support/usage.ts';

/** The tenants, credentials and objects that the refused requests below use. */
export interface World {
  readonly stack: Addresses;
  readonly tenant: Tenant;
  readonly good: Readonly<Record<string, GoodRequest>>;
  /** A signed-in person without a tenant. */
  readonly newcomer: Client;
  /** A member of the tenant who may only read. */
  readonly auditor: Client;
  /**
   * API keys of the tenant: `powerless` has no actions, the key list of `listed` contains only `cappedId`, and a
   * firewall refuses every request of `outside`.
   */
  readonly powerless: Client;
  readonly listed: Client;
  readonly outside: Client;
  /** The id of a `free` key that has reached its monthly cap. */
  readonly cappedId: string;
  readonly firewallId: string;
  readonly pendingId: string;
  readonly frozenId: string;
  /** A tenant that never had a subscription and has reached every limit on its number of objects. */
  readonly full: Tenant;
  /** The token of an invitation to the full tenant. */
  readonly fullToken: string;
  /** A tenant whose subscription has ended, and the id of its key. */
  readonly lapsed: Tenant;
  readonly lapsedId: string;
  /**
   * Key names: `capped` has reached its monthly cap, `pending` (tier `wrapped`) and `pendingSoftware` are pending
   * deletion, `frozen` (tier `software`) is frozen, and `lapsed` belongs to the tenant whose subscription has ended.
   */
  readonly names: Readonly<Record<'capped' | 'pending' | 'pendingSoftware' | 'frozen' | 'lapsed', string>>;
}

type Produce = (world: World) => Promise<Answer>;
type Change = Extras & { readonly id?: string; readonly query?: string };

const TAKEN = 'taken';
const READS_PERIOD = ['GET /v1/usage', 'GET /v1/usage/daily', 'GET /v1/billing/statement'];
const READS_QUERY = [
  ...[
    'GET /v1/keys/{id}/audit',
    'GET /v1/audit',
    'GET /v1/audit/seals',
    'GET /v1/audit/entries',
    'GET /v1/audit/restorations',
  ],
  ...['GET /v1/transit/keys', 'GET /v1/transit/keys/{name}'],
  ...READS_PERIOD,
];
const CREATES_BY_NAME = /^(?:POST|PUT) \/v1\/transit\/keys\/\{name\}$/;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Makes the tenants, credentials and objects that the refused requests use. */
export async function makeWorld(stack: Addresses): Promise<World> {
  const tenant = await makeTenant(stack);
  const full = await makeTenant(stack, 'none');
  const lapsed = await makeTenant(stack);
  const networks = { name: TAKEN, allowed_ips: ['192.0.2.0/24'] };
  const firewallId = text(await tenant.console.send('POST', '/v1/firewalls', networks), 'id');
  await tenant.createKey('wrapped', TAKEN);
  const names = {
    capped: 'capped',
    pending: 'pending',
    pendingSoftware: 'pending software',
    frozen: 'frozen',
    lapsed: 'lapsed',
  };
  const cappedId = await tenant.createKey('free', names.capped);
  await reachCap(stack, cappedId);
  const pendingId = await tenant.createKey('wrapped', names.pending);
  await tenant.api.send('DELETE', `/v1/keys/${pendingId}`);
  const software = await tenant.createKey('software', names.pendingSoftware);
  await tenant.api.send('DELETE', `/v1/keys/${software}`);
  const frozenId = await tenant.createKey('software', names.frozen);
  await tenant.console.send('POST', `/v1/keys/${frozenId}/freeze`);
  const { token: fullToken } = await inviteTo(full, 'auditor');
  await fillTeam(stack, full.id);
  for (const [counter, most] of [
    ['keys', 10_000],
    ['api_keys', 1_000],
    ['containers', 100],
    ['firewalls', 1_000],
    ['federation_bytes', 16 * 1024 * 1024],
  ] as const) {
    await setCount(stack, full.id, counter, most);
  }
  const lapsedId = await lapsed.createKey('wrapped', names.lapsed);
  await setSubscription(stack, lapsed.id, 'none');
  const { client: powerless } = await tenant.mint({ allowed_actions: [] });
  const { client: listed } = await tenant.mint({ key_ids: [cappedId] });
  const { client: outside } = await tenant.mint({ firewall_id: firewallId });
  const good = await goodRequests(tenant);
  const { session: auditor } = await join(tenant, 'auditor');
  const newcomer = await signIn(stack, randomUUID());
  const credentials = { newcomer, auditor, powerless, listed, outside };
  return {
    stack,
    tenant,
    good,
    ...credentials,
    cappedId,
    firewallId,
    pendingId,
    frozenId,
    full,
    fullToken,
    lapsed,
    lapsedId,
    names,
  };
}

/**
 * Returns requests that together get every error code of a route, except `rate_limited`, `internal_error` and
 * `unavailable`.
 */
export function refusalsOf(row: RouteRow): Produce[] {
  return [...refusalsByCommonChecks(row), ...(OWN_CHECKS[row.call] ?? [])];
}

/** Sends a valid request for `call` with the given changes. */
function ask({ stack, good }: World, call: string, { token }: Client, change: Change = {}): Promise<Answer> {
  const { id = good[call]?.id ?? '', query = good[call]?.query ?? '', body, ...extras } = change;
  const url = `${stack.baseUrl}${fillPath(pathOf(call), id)}${query}`;
  const bodyFields =
    extras.raw === undefined ? { body: body ? { ...Object(good[call]?.body), ...body } : good[call]?.body } : {};
  return send(methodOf(call), url, { token, ...bodyFields, ...extras });
}

/** Returns, for each check that the route shares with other routes, a request that fails this check. */
function refusalsByCommonChecks({ call, credential, action, body }: RouteRow): Produce[] {
  const acceptsApiKey = credential === 'api_key' || credential === 'either';
  const allowedClient = ({ tenant }: World) => (acceptsApiKey ? tenant.api : tenant.console);
  const asAllowed = (change: Change) => (world: World) => ask(world, call, allowedClient(world), change);
  const isAboutKey = acceptsApiKey && (/\/keys\/\{id\}|\{name\}/.test(call) || call === 'POST /v1/keys');
  const checksRole = ['console', 'either'].includes(credential) && methodOf(call) !== 'GET';
  const looksUpObject = /\{id\}|\{name\}/.test(call) && !CREATES_BY_NAME.test(call);
  return [
    ({ stack }) => sendRaw(stack, `${methodOf(call)} ${pathOf(call)}`, ['host: another']),
    ...when(credential !== 'none', (world) => ask(world, call, new Client(world.stack, undefined))),
    ...when(credential !== 'none', (world) => ask(world, call, world.outside)),
    ...when(!['none', 'newcomer'].includes(credential), (world) => ask(world, call, world.newcomer)),
    ...when(credential === 'api_key', (world) => ask(world, call, world.tenant.console)),
    ...when(['console', 'newcomer'].includes(credential), (world) => ask(world, call, world.tenant.api)),
    ...when(looksUpObject, (world) => asAllowed({ id: randomUUID() })(world)),
    ...when(isAboutKey, (world) => ask(world, call, world.listed)),
    ...when(action !== undefined, (world) => ask(world, call, world.powerless)),
    ...when(checksRole, (world) => ask(world, call, world.auditor)),
    ...when(body === true, asAllowed({ raw: '{}', headers: { 'content-encoding': 'gzip' } })),
    ...when(body === true, asAllowed({ raw: ' '.repeat(131_073), headers: JSON_TYPE })),
    ...when(READS_QUERY.includes(call), asAllowed({ query: '?a=1&a=2' })),
    ...when(READS_PERIOD.includes(call), asAllowed({ query: '?period=2026-13' })),
  ];
}

function when(holds: boolean, produce: Produce): Produce[] {
  return holds ? [produce] : [];
}

/**
 * Returns valid requests with changed fields, one for each item of `changes`. `as` chooses the API key or the session.
 */
function withFields(as: 'api' | 'console', call: string, ...changes: readonly object[]): Produce[] {
  return changes.map((body) => (world: World) => ask(world, call, world.tenant[as], { body }));
}

/**
 * Returns the route of a metered operation and requests that it refuses: with a key pending deletion, with a key at its
 * monthly cap, and with invalid fields. If `needsBilling`, it also refuses a key of a tenant whose subscription has
 * ended.
 */
function metered(
  operation: string,
  needsBilling: boolean,
  ...changes: readonly object[]
): readonly [string, Produce[]] {
  const call = `POST /v1/keys/{id}/${operation}`;
  const withoutBilling: Produce = (world) => ask(world, call, world.lapsed.api, { id: world.lapsedId });
  return [
    call,
    [
      (world) => ask(world, call, world.tenant.api, { id: world.pendingId }),
      (world) => ask(world, call, world.tenant.api, { id: world.frozenId }),
      (world) => ask(world, call, world.tenant.api, { id: world.cappedId }),
      ...when(needsBilling, withoutBilling),
      ...withFields('api', call, { aad: 'A' }, ...changes),
    ],
  ];
}

/** Returns the POST and PUT routes of a Transit operation, with the same kinds of refused requests as `metered`. */
function transit(operation: string, needsBilling: boolean, ...changes: readonly object[]): [string, Produce[]][] {
  return forPostAndPut(`/v1/transit/${operation}/{name}`, (call) => [
    (world) => ask(world, call, world.tenant.api, { id: world.names.pending }),
    (world) => ask(world, call, world.tenant.api, { id: world.names.frozen }),
    (world) => ask(world, call, world.tenant.api, { id: world.names.capped }),
    ...when(needsBilling, (world) => ask(world, call, world.lapsed.api, { id: world.names.lapsed })),
    ...withFields('api', call, { associated_data: 'A' }, ...changes),
  ]);
}

function forPostAndPut(path: string, produce: (call: string) => Produce[]): [string, Produce[]][] {
  return [`POST ${path}`, `PUT ${path}`].map((call) => [call, produce(call)]);
}

function atLimit(call: string, change: object = {}): Produce {
  return (world) => ask(world, call, world.full.console, { body: change });
}

const EMPTY_NAME = { name: '' };
const OTHER_CONTAINER = { container_id: randomUUID() };

/** Maps a route to requests that fail those checks of the route which other routes do not share. */
const OWN_CHECKS: Readonly<Record<string, readonly Produce[]>> = {
  ...Object.fromEntries([
    ...transit('encrypt', true),
    ...transit('decrypt', false, { ciphertext: 'vault:v1:AA==' }),
    ...transit('rewrap', true, { ciphertext: 'vault:v1:AA==' }),
    ...transit('datakey/plaintext', true),
    ...transit('datakey/wrapped', true),
    ...forPostAndPut('/v1/transit/keys/{name}', (call) => [
      ...withFields('api', call, { tier: 'gold' }, { tier: 'free' }),
      (world) => ask(world, call, world.tenant.api, { id: '\u0007' }),
      (world) => ask(world, call, world.tenant.api, { id: TAKEN, body: { tier: 'software' } }),
      (world) => ask(world, call, world.full.api, { id: randomUUID() }),
      (world) => ask(world, call, world.full.api, { id: randomUUID(), body: { tier: 'free' } }),
    ]),
    ...forPostAndPut('/v1/transit/keys/{name}/rotate', (call) => [
      (world) => ask(world, call, world.tenant.api, { id: world.names.pendingSoftware }),
      (world) => ask(world, call, world.tenant.api, { id: world.names.frozen }),
    ]),
    metered('encrypt', true),
    metered('decrypt', false, { ciphertext: 'AA==' }),
    metered('wrap', true, { dek: 'AA==' }),
    metered('unwrap', false, { wrapped: 'AA==' }),
    metered('rewrap', true, { ciphertext: 'AA==' }),
  ]),
  'POST /v1/keys': [
    ...withFields(
      'api',
      'POST /v1/keys',
      EMPTY_NAME,
      { tier: 'gold' },
      OTHER_CONTAINER,
      { name: TAKEN },
      { tier: 'free' },
    ),
    (world) => ask(world, 'POST /v1/keys', world.full.api),
    atLimit('POST /v1/keys', { tier: 'free' }),
  ],
  ...Object.fromEntries(
    ['POST /v1/keys/{id}/freeze', 'POST /v1/keys/{id}/thaw'].map((call) => [
      call,
      [(world: World) => ask(world, call, world.tenant.console, { id: world.pendingId })],
    ]),
  ),
  'POST /v1/keys/{id}/restore': [
    (world) => ask(world, 'POST /v1/keys/{id}/restore', world.tenant.api, { id: world.cappedId }),
    async (world) => {
      const destroyAfter = text(await world.tenant.api.send('GET', `/v1/keys/${world.pendingId}`), 'destroy_after');
      await setClock(world.stack, later(destroyAfter, DAY_MS));
      try {
        return await ask(world, 'POST /v1/keys/{id}/restore', world.tenant.api, { id: world.pendingId });
      } finally {
        await mendStack(world.stack);
      }
    },
  ],
  'POST /v1/invitations/preview': withFields('console', 'POST /v1/invitations/preview', { token: 'none' }),
  'POST /v1/invitations/accept': [
    ...withFields('console', 'POST /v1/invitations/accept', { token: 'none' }, {}),
    (world) => ask(world, 'POST /v1/invitations/accept', world.newcomer, { body: { token: world.fullToken } }),
  ],
  'POST /v1/billing/checkout': [(world) => ask(world, 'POST /v1/billing/checkout', world.tenant.console)],
  'POST /v1/billing/portal': [(world) => ask(world, 'POST /v1/billing/portal', world.full.console)],
  'POST /v1/webhooks/stripe': [
    ({ stack }) => {
      const signature = `t=${Math.floor(Date.now() / 1000)},v1=${'a'.repeat(64)}`;
      const headers = [`stripe-signature: ${signature}`, 'content-length: 2000000'];
      return sendRaw(stack, 'POST /v1/webhooks/stripe', headers);
    },
  ],
};
