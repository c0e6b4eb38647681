import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { list, outcome, text } from '../support/client.ts';
import { containerObject, read } from '../support/objects.ts';
import { type Client, makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
let tenant: Tenant;
let session: Client;
beforeAll(async () => {
  tenant = await makeTenant(stack);
  session = tenant.console;
});

async function create(name: string = randomUUID()) {
  return read(containerObject, await session.send('POST', '/v1/containers', { name }));
}

async function defaultContainer() {
  const containers = read(containerObject.array(), await session.send('GET', '/v1/containers'));
  return containers.filter(({ is_default }) => is_default);
}

test('a new tenant has one container, the default container, with the name "default"', async () => {
  const otherTenant = await makeTenant(stack);
  const containers = read(containerObject.array(), await otherTenant.console.send('GET', '/v1/containers'));
  expect(containers).toMatchObject([{ name: 'default', is_default: true }]);
});

test('a container can be created, read, renamed and deleted, and containers are listed oldest first', async () => {
  const created = await session.send('POST', '/v1/containers', { name: 'payments' });
  expect(created.status).toBe(201);
  const container = read(containerObject, created);
  expect(container).toMatchObject({ name: 'payments', is_default: false });
  const path = `/v1/containers/${container.id}`;
  expect(await session.send('GET', path)).toMatchObject({ status: 200, body: container });
  const next = await create();
  const all = read(containerObject.array(), await session.send('GET', '/v1/containers'));
  expect(all.slice(-2)).toEqual([container, next]);
  expect(all.map(({ created_at }) => created_at)).toEqual(all.map(({ created_at }) => created_at).sort());
  const renamed = await session.send('PATCH', path, { name: 'refunds' });
  expect(renamed).toMatchObject({ status: 200, body: { ...container, name: 'refunds' } });
  expect((await session.send('DELETE', path)).status).toBe(204);
  expect(outcome(await session.send('GET', path))).toBe('404 not_found');
  expect(outcome(await session.send('PATCH', path, { name: 'x' }))).toBe('404 not_found');
  expect(outcome(await session.send('DELETE', path))).toBe('404 not_found');
  expect(list(await session.send('GET', '/v1/containers')).map(({ id }) => id)).not.toContain(container.id);
});

describe('the name of a container', () => {
  test('a container name is unique in its tenant, and can be used again after the container is renamed or deleted', async () => {
    const container = await create('unique');
    const path = `/v1/containers/${container.id}`;
    const createAgain = async () => outcome(await session.send('POST', '/v1/containers', { name: 'unique' }));
    expect(await createAgain()).toBe('409 container_exists');
    const other = await create();
    const rename = await session.send('PATCH', `/v1/containers/${other.id}`, { name: 'unique' });
    expect(outcome(rename)).toBe('409 container_exists');
    expect(await session.send('PATCH', path, { name: 'unique' })).toMatchObject({ status: 200, body: container });
    await session.send('PATCH', path, { name: 'former' });
    expect(await createAgain()).toBe('201');
    expect(outcome(await session.send('PATCH', path, { name: 'unique' }))).toBe('409 container_exists');
    await session.send('DELETE', path);
    expect(outcome(await session.send('POST', '/v1/containers', { name: 'former' }))).toBe('201');
    const otherTenant = await makeTenant(stack);
    expect(outcome(await otherTenant.console.send('POST', '/v1/containers', { name: 'unique' }))).toBe('201');
  });

  test('of ten concurrent creations of containers with the same name, exactly one succeeds', async () => {
    const body = { name: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => session.send('POST', '/v1/containers', body)));
    expect(answers.map(outcome).sort()).toEqual(['201', ...Array(9).fill('409 container_exists')]);
  });

  test.each([
    ['', '400 invalid_name'],
    ['  ', '400 invalid_name'],
    ['a\tb', '400 invalid_name'],
    ['n'.repeat(129), '400 invalid_name'],
    [undefined, '400 invalid_request'],
    [null, '400 invalid_request'],
    [7, '400 invalid_request'],
  ])('the container name %j is refused with %s', async (name, expected) => {
    expect(outcome(await session.send('POST', '/v1/containers', { name }))).toBe(expected);
    const { id } = await create();
    expect(outcome(await session.send('PATCH', `/v1/containers/${id}`, { name }))).toBe(expected);
  });
});

test('the default container can be renamed but not deleted, and stays the default after a rename', async () => {
  const [container] = await defaultContainer();
  const path = `/v1/containers/${container?.id}`;
  expect(outcome(await session.send('DELETE', path))).toBe('409 container_is_default');
  expect(outcome(await session.send('PATCH', path, { name: 'main' }))).toBe('200');
  expect(await defaultContainer()).toEqual([{ ...container, name: 'main' }]);
  expect(outcome(await session.send('POST', '/v1/containers', { name: 'default' }))).toBe('201');
  const key = await session.send('POST', '/v1/keys', { name: randomUUID(), tier: 'wrapped' });
  expect(text(key, 'container_id')).toBe(container?.id);
});

describe('deletion of a container that is not empty', () => {
  test('a container with an active key or a key pending deletion cannot be deleted', async () => {
    const { id } = await create();
    const path = `/v1/containers/${id}`;
    const body = { name: 'orders', tier: 'software', container_id: id };
    const key = `/v1/keys/${text(await session.send('POST', '/v1/keys', body), 'id')}`;
    expect(outcome(await session.send('DELETE', path))).toBe('409 container_not_empty');
    await session.send('DELETE', key);
    expect(outcome(await session.send('DELETE', path))).toBe('409 container_not_empty');
    await session.send('POST', `${key}/destroy`);
    expect(outcome(await session.send('DELETE', path))).toBe('204');
  });

  test('a container with a live API key cannot be deleted', async () => {
    const { id } = await create();
    const apiKey = await tenant.mint({ container_id: id });
    expect(outcome(await session.send('DELETE', `/v1/containers/${id}`))).toBe('409 container_not_empty');
    await session.send('DELETE', `/v1/api-keys/${apiKey.id}`);
    expect(outcome(await session.send('DELETE', `/v1/containers/${id}`))).toBe('204');
  });

  test('a container with a firewall cannot be deleted', async () => {
    const { id } = await create();
    const body = { name: 'office', allowed_ips: ['192.0.2.1'], container_id: id };
    const firewall = await session.send('POST', '/v1/firewalls', body);
    expect(outcome(await session.send('DELETE', `/v1/containers/${id}`))).toBe('409 container_not_empty');
    await session.send('DELETE', `/v1/firewalls/${text(firewall, 'id')}`);
    expect(outcome(await session.send('DELETE', `/v1/containers/${id}`))).toBe('204');
  });
});

test('keys, API keys and firewalls cannot be created in a deleted container', async () => {
  const { id: container_id } = await create();
  await session.send('DELETE', `/v1/containers/${container_id}`);
  const name = 'too late';
  const made = [
    await session.send('POST', '/v1/keys', { name, tier: 'wrapped', container_id }),
    await session.send('POST', '/v1/api-keys', { name, container_id }),
    await session.send('POST', '/v1/firewalls', { name, allowed_ips: ['192.0.2.1'], container_id }),
  ];
  expect(made.map(outcome)).toEqual(Array(3).fill('400 invalid_container'));
});

test('a request for another tenant’s container gets 404', async () => {
  const { id } = await create();
  const otherTenant = await makeTenant(stack);
  for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
    expect(outcome(await otherTenant.console.send(method, `/v1/containers/${id}`, body))).toBe('404 not_found');
  }
});
