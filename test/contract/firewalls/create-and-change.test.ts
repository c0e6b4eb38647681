import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { list, outcome } from '../../support/client.ts';
import { firewallObject, read } from '../../support/objects.ts';
import { type Client, makeContainer, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const NETWORKS = ['192.0.2.0/24', '2001:db8::/32'];
let tenant: Tenant;
let session: Client;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  session = tenant.console;
});

async function create(options: Readonly<Record<string, unknown>> = {}) {
  const body = { name: randomUUID(), allowed_ips: NETWORKS, ...options };
  return read(firewallObject, await session.send('POST', '/v1/firewalls', body));
}

test('a firewall can be created, read, changed and deleted, and firewalls are listed oldest first', async () => {
  const created = await session.send('POST', '/v1/firewalls', { name: 'office', allowed_ips: NETWORKS });
  expect(created.status).toBe(201);
  const firewall = read(firewallObject, created);
  const [container] = list(await session.send('GET', '/v1/containers'));
  expect(firewall).toMatchObject({ name: 'office', container_id: container?.id, allowed_ips: NETWORKS });
  expect(firewall.updated_at).toBe(firewall.created_at);
  const path = `/v1/firewalls/${firewall.id}`;
  expect(await session.send('GET', path)).toMatchObject({ status: 200, body: firewall });
  const next = await create({ container_id: await makeContainer(tenant) });
  const all = read(firewallObject.array(), await session.send('GET', '/v1/firewalls'));
  expect(all.slice(-2)).toEqual([firewall, next]);
  const changed = await session.send('PATCH', path, { name: 'home', allowed_ips: ['198.51.100.7'] });
  expect(changed.status).toBe(200);
  const { updated_at } = read(firewallObject, changed);
  expect(changed.body).toEqual({ ...firewall, name: 'home', allowed_ips: ['198.51.100.7/32'], updated_at });
  expect(updated_at > firewall.updated_at).toBe(true);
  expect((await session.send('DELETE', path)).status).toBe(204);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
    expect(outcome(await session.send(method, path, body))).toBe('404 not_found');
  }
  expect(list(await session.send('GET', '/v1/firewalls')).map(({ id }) => id)).not.toContain(firewall.id);
});

describe('the name of a firewall', () => {
  test('a firewall name is unique in its container, and can be used again after the firewall is renamed or deleted', async () => {
    const firewall = await create({ name: 'unique' });
    const path = `/v1/firewalls/${firewall.id}`;
    const createAgain = async (container_id?: string) =>
      outcome(await session.send('POST', '/v1/firewalls', { name: 'unique', allowed_ips: NETWORKS, container_id }));
    expect(await createAgain()).toBe('409 firewall_exists');
    expect(await createAgain(await makeContainer(tenant))).toBe('201');
    const other = await create();
    const rename = await session.send('PATCH', `/v1/firewalls/${other.id}`, { name: 'unique' });
    expect(outcome(rename)).toBe('409 firewall_exists');
    expect(outcome(await session.send('PATCH', path, { name: 'unique' }))).toBe('200');
    await session.send('PATCH', path, { name: 'former' });
    expect(await createAgain()).toBe('201');
    await session.send('DELETE', path);
    await create({ name: 'former' });
  });

  test('of ten concurrent creations of firewalls with the same name, exactly one succeeds', async () => {
    const body = { name: randomUUID(), allowed_ips: NETWORKS };
    const answers = await Promise.all(Array.from({ length: 10 }, () => session.send('POST', '/v1/firewalls', body)));
    expect(answers.map(outcome).sort()).toEqual(['201', ...Array(9).fill('409 firewall_exists')]);
  });

  test.each([
    ['', '400 invalid_name'],
    ['\u2003', '400 invalid_name'],
    ['a\u0085b', '400 invalid_name'],
    ['n'.repeat(129), '400 invalid_name'],
    [7, '400 invalid_request'],
  ])('the firewall name %j is refused with %s', async (name, expected) => {
    const body = { name, allowed_ips: NETWORKS };
    expect(outcome(await session.send('POST', '/v1/firewalls', body))).toBe(expected);
    const { id } = await create();
    expect(outcome(await session.send('PATCH', `/v1/firewalls/${id}`, { name }))).toBe(expected);
  });
});

describe('a change of a firewall', () => {
  test('PATCH of a firewall with an empty object returns 200 and changes nothing', async () => {
    const firewall = await create();
    const answer = await session.send('PATCH', `/v1/firewalls/${firewall.id}`, {});
    expect(answer).toMatchObject({ status: 200, body: firewall });
  });

  test.each([
    [{ allowed_ip: ['192.0.2.1'] }, '400 invalid_request'],
    [{ name: 'misspelled', container_id: randomUUID() }, '400 invalid_request'],
    [{ allowed_ips: '192.0.2.1' }, '400 invalid_request'],
    [{ allowed_ips: [1] }, '400 invalid_request'],
    [{ name: 'half done', allowed_ips: [] }, '400 invalid_allowed_ips'],
    [{ name: 'half done', allowed_ips: ['192.0.2.1', 'x'] }, '400 invalid_allowed_ips'],
    [{ name: '', allowed_ips: ['198.51.100.0/24'] }, '400 invalid_name'],
    [[], '400 invalid_request'],
  ])('PATCH of a firewall with %j changes nothing and returns %s', async (body, expected) => {
    const firewall = await create();
    const path = `/v1/firewalls/${firewall.id}`;
    expect(outcome(await session.send('PATCH', path, body))).toBe(expected);
    expect((await session.send('GET', path)).body).toEqual(firewall);
  });
});

test('a firewall cannot be deleted while a live API key uses the firewall', async () => {
  const { id } = await create();
  const path = `/v1/firewalls/${id}`;
  const [first, second] = [await tenant.mint({ firewall_id: id }), await tenant.mint()];
  await session.send('PATCH', `/v1/api-keys/${second.id}`, { firewall_id: id });
  expect(outcome(await session.send('DELETE', path))).toBe('409 firewall_in_use');
  await session.send('DELETE', `/v1/api-keys/${first.id}`);
  expect(outcome(await session.send('DELETE', path))).toBe('409 firewall_in_use');
  await session.send('PATCH', `/v1/api-keys/${second.id}`, { firewall_id: null });
  expect(outcome(await session.send('DELETE', path))).toBe('204');
  const late = await session.send('PATCH', `/v1/api-keys/${second.id}`, { firewall_id: id });
  expect(outcome(late)).toBe('400 invalid_firewall');
});

test('creating a firewall in a container that the tenant does not have is refused with 400', async () => {
  const [foreign] = list(await (await makeTenant(stack)).console.send('GET', '/v1/containers'));
  for (const container_id of [randomUUID(), 'x', foreign?.id]) {
    const answer = await session.send('POST', '/v1/firewalls', { name: 'x', allowed_ips: NETWORKS, container_id });
    expect(outcome(answer)).toBe('400 invalid_container');
  }
});

test('a request for another tenant’s firewall gets 404', async () => {
  const { id } = await create();
  const otherTenant = await makeTenant(stack);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
    expect(outcome(await otherTenant.console.send(method, `/v1/firewalls/${id}`, body))).toBe('404 not_found');
  }
});
