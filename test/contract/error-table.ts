import { randomUUID } from 'node:crypto';
import { type Addresses, type Answer, text } from '../support/client.ts';
import { setCount } from '../support/counts.ts';
import { DAY_MS, emptyBucket, later, mendStack, setClock, setFaults } from '../support/steer.ts';
import { inviteTo, join, meOf } from '../support/team.ts';
import { Client, makeTenant, signIn, type Tenant } from '../support/tenant.ts';
import { reachCap } from '../support/usage.ts';

/** The tenants and keys that the requests in `ERRORS` use. */
export interface World {
  readonly stack: Addresses;
  /** A tenant in good standing. */
  readonly tenant: Tenant;
  /** A `software` key of `tenant`. */
  readonly keyId: string;
  /** The only `free` key of `tenant`. */
  readonly freeKeyId: string;
  /** A tenant that never set up billing. */
  readonly unsubscribed: Tenant;
}

/** Makes the tenants and keys that the requests in `ERRORS` use. */
export async function makeWorld(stack: Addresses): Promise<World> {
  const tenant = await makeTenant(stack);
  const keyId = await tenant.createKey('software', 'taken');
  const freeKeyId = await tenant.createKey('free');
  return { stack, tenant, keyId, freeKeyId, unsubscribed: await makeTenant(stack, 'none') };
}

type Produce = (world: World) => Promise<Answer>;

const NETWORKS = { allowed_ips: ['192.0.2.0/24'] };
const named = () => ({ name: randomUUID() });

function operate(operation: string, body: unknown, id?: string): Produce {
  return ({ tenant, keyId }) => tenant.api.send('POST', `/v1/keys/${id ?? keyId}/${operation}`, body);
}

function create(path: string, body: object): Produce {
  return ({ tenant }) => tenant.console.send('POST', path, { ...named(), tier: 'wrapped', ...body });
}

function get(path: string): Produce {
  return ({ tenant }) => tenant.api.send('GET', path);
}

async function idOf(world: World, path: string, body: object = {}): Promise<string> {
  return text(await create(path, body)(world), 'id');
}

/** Sends a request while the stack has a fault or a moved clock, then removes the fault and resets the clock. */
async function sendThenRepair({ stack }: World, request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request();
  } finally {
    await mendStack(stack);
  }
}

/** Maps every error in the specification to a request that gets this error. */
export const ERRORS: Readonly<Record<string, Produce>> = {
  '400 invalid_request': operate('encrypt', { plaintext: '' }),
  '400 invalid_base64': operate('encrypt', { plaintext: 'AA' }),
  '400 invalid_dek_length': operate('wrap', { dek: 'AA==' }),
  '400 invalid_ciphertext': operate('decrypt', { ciphertext: 'AA==' }),
  '400 invalid_name': create('/v1/keys', { name: '' }),
  '400 invalid_tier': create('/v1/keys', { tier: 'gold' }),
  '400 invalid_container': create('/v1/keys', { container_id: randomUUID() }),
  '400 invalid_query': ({ tenant, keyId }) => tenant.api.send('GET', `/v1/keys/${keyId}/audit?limit=0`),
  '400 invalid_period': get('/v1/usage?period=2026-13'),
  '400 invalid_allowed_actions': create('/v1/api-keys', { allowed_actions: ['sign'] }),
  '400 invalid_key_ids': create('/v1/api-keys', { key_ids: [] }),
  '400 invalid_firewall': create('/v1/api-keys', { firewall_id: randomUUID() }),
  '400 invalid_expires_at': create('/v1/api-keys', { expires_at: '2020-01-01T00:00:00Z' }),
  '400 invalid_federations': create('/v1/api-keys', { federations: [null] }),
  '400 invalid_allowed_ips': create('/v1/firewalls', { allowed_ips: [] }),
  '400 invalid_role': ({ tenant }) => tenant.console.send('POST', '/v1/invitations', { role: 'root' }),
  '401 unauthorized': ({ stack }) => new Client(stack, undefined).send('GET', '/v1/keys'),
  '402 billing_required': ({ unsubscribed }) =>
    unsubscribed.api.send('POST', '/v1/keys', { ...named(), tier: 'software' }),
  '403 api_key_required': ({ tenant, keyId }) => tenant.console.send('POST', `/v1/keys/${keyId}/encrypt`),
  '403 session_required': get('/v1/me'),
  '403 ip_not_allowed': async (world) => {
    const firewall_id = await idOf(world, '/v1/firewalls', NETWORKS);
    return (await world.tenant.mint({ firewall_id })).client.send('GET', '/v1/keys');
  },
  '403 key_not_allowed': async ({ tenant, keyId, freeKeyId }) =>
    (await tenant.mint({ key_ids: [freeKeyId] })).client.send('GET', `/v1/keys/${keyId}`),
  '403 action_not_allowed': async ({ tenant, keyId }) =>
    (await tenant.mint({ allowed_actions: [] })).client.send('POST', `/v1/keys/${keyId}/rotate`),
  '403 role_not_allowed': async ({ tenant }) =>
    (await join(tenant, 'auditor')).session.send('POST', '/v1/containers', named()),
  '403 no_tenant': async ({ stack }) => (await signIn(stack, randomUUID())).send('GET', '/v1/keys'),
  '404 not_found': get(`/v1/keys/${randomUUID()}`),
  '405 method_not_allowed': ({ tenant }) => tenant.api.send('PUT', '/v1/keys'),
  '409 key_pending_deletion': async ({ tenant }) => {
    const path = `/v1/keys/${await tenant.createKey('wrapped')}`;
    await tenant.api.send('DELETE', path);
    return tenant.api.send('POST', `${path}/rotate`);
  },
  '409 key_frozen': async ({ tenant }) => {
    const path = `/v1/keys/${await tenant.createKey('wrapped')}`;
    await tenant.console.send('POST', `${path}/freeze`);
    return tenant.api.send('POST', `${path}/rotate`);
  },
  '409 key_exists': create('/v1/keys', { name: 'taken' }),
  '409 free_key_exists': create('/v1/keys', { tier: 'free' }),
  '409 not_pending_deletion': operate('restore', undefined),
  '409 restore_window_closed': async (world) => {
    const { api, createKey } = world.tenant;
    const path = `/v1/keys/${await createKey('wrapped')}`;
    const destroyAfter = text(await api.send('DELETE', path), 'destroy_after');
    await setClock(world.stack, later(destroyAfter, DAY_MS));
    return sendThenRepair(world, () => api.send('POST', `${path}/restore`));
  },
  '409 container_exists': create('/v1/containers', { name: 'default' }),
  '409 container_is_default': async ({ tenant }) => {
    const answer = await tenant.console.send('GET', '/v1/containers');
    return tenant.console.send('DELETE', `/v1/containers/${Object(answer.body)[0].id}`);
  },
  '409 container_not_empty': async (world) => {
    const container_id = await idOf(world, '/v1/containers');
    await idOf(world, '/v1/keys', { container_id });
    return world.tenant.console.send('DELETE', `/v1/containers/${container_id}`);
  },
  '409 firewall_exists': async (world) => {
    await create('/v1/firewalls', { ...NETWORKS, name: 'same' })(world);
    return create('/v1/firewalls', { ...NETWORKS, name: 'same' })(world);
  },
  '409 firewall_in_use': async (world) => {
    const firewall_id = await idOf(world, '/v1/firewalls', NETWORKS);
    await world.tenant.mint({ firewall_id });
    return world.tenant.console.send('DELETE', `/v1/firewalls/${firewall_id}`);
  },
  '409 already_member': async ({ tenant }) =>
    tenant.console.send('POST', '/v1/invitations/accept', { token: (await inviteTo(tenant, 'admin')).token }),
  '409 last_owner': async ({ unsubscribed: { console } }) =>
    console.send('DELETE', `/v1/members/${(await meOf(console)).user.id}`),
  '409 limit_reached': async ({ stack }) => {
    const { id, console } = await makeTenant(stack, 'none');
    await setCount(stack, id, 'containers', 100);
    return console.send('POST', '/v1/containers', named());
  },
  '409 billing_active': ({ tenant }) => tenant.console.send('POST', '/v1/billing/checkout'),
  '409 billing_not_set_up': ({ unsubscribed }) => unsubscribed.console.send('POST', '/v1/billing/portal'),
  '413 payload_too_large': operate('encrypt', { plaintext: Buffer.alloc(65_537).toString('base64') }),
  '415 unsupported_media_type': operate('encrypt', undefined),
  '429 rate_limited': async (world) => {
    const { client } = await world.tenant.mint();
    await emptyBucket(client);
    return sendThenRepair(world, () => client.send('GET', '/v1/me'));
  },
  '429 ops_cap_reached': async ({ stack, tenant, freeKeyId }) => {
    await reachCap(stack, freeKeyId);
    return tenant.api.send('POST', `/v1/keys/${freeKeyId}/wrap`, {});
  },
  '500 internal_error': async (world) => {
    await setFaults(world.stack, { audit_rows: 'down' });
    return sendThenRepair(world, () => operate('encrypt', { plaintext: 'AA==' })(world));
  },
  '503 unavailable': async (world) => {
    await setFaults(world.stack, { pdp: 'down' });
    return sendThenRepair(world, () => operate('encrypt', { plaintext: 'AA==' })(world));
  },
};
