import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { countsOf } from '../../support/counts.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { Client, makeContainer, makeTenant, type Tenant } from '../../support/tenant.ts';

/*
 * A deployment that billing is switched on of: the second process has none, the stack's own, on the same store, has it.
 */
const stack = inject('stack');
const TAKEN = '409 free_key_exists';
let before: SecondService;
beforeAll(async () => {
  before = await startSecondService(stack, signInSettings(stack));
});
afterAll(() => before.stop());

const withoutBilling = ({ console }: Tenant) => new Client(before, console.token);

async function create(client: Client, name: string): Promise<string> {
  return text(await client.send('POST', '/v1/keys', { name, tier: 'free' }), 'id');
}

async function tryAnother({ console }: Tenant): Promise<string> {
  return outcome(await console.send('POST', '/v1/keys', { name: 'another', tier: 'free' }));
}

const destroy = async (client: Client, id: string) => outcome(await client.send('POST', `/v1/keys/${id}/destroy`));

test('a free key made before billing was switched on has the place', async () => {
  const tenant = await makeTenant(stack, 'none');
  const id = await create(withoutBilling(tenant), 'made before');
  expect(await tryAnother(tenant)).toBe(TAKEN);
  await destroy(tenant.console, id);
  expect(await tryAnother(tenant)).toBe('201');
});

test('of several made before, each is destroyed for itself; the place is free once all are', async () => {
  const tenant = await makeTenant(stack, 'none');
  const ids = [];
  for (const name of ['first', 'second', 'third']) ids.push(await create(withoutBilling(tenant), name));
  for (const id of ids) {
    expect(await tryAnother(tenant)).toBe(TAKEN);
    expect(await destroy(tenant.console, id)).toBe('204');
  }
  expect(await tryAnother(tenant)).toBe('201');
  expect(await tryAnother(tenant)).toBe('409 key_exists');
  expect(await countsOf(stack, tenant.id)).toMatchObject({ keys: 1, free_keys: 1 });
});

test('a free key made where billing is, destroyed where it is not, leaves the place free', async () => {
  const tenant = await makeTenant(stack, 'none');
  const id = await create(tenant.console, 'made with billing');
  expect(await destroy(withoutBilling(tenant), id)).toBe('204');
  expect(await tryAnother(tenant)).toBe('201');
});

test('a free key made where billing is keeps the place while others are destroyed where it is not', async () => {
  const tenant = await makeTenant(stack, 'none');
  await create(tenant.console, 'made with billing');
  const id = await create(withoutBilling(tenant), 'made without');
  expect(await destroy(withoutBilling(tenant), id)).toBe('204');
  expect(await tryAnother(tenant)).toBe(TAKEN);
});

test('the place of a free key is given to exactly one of twelve creations at once, across containers', async () => {
  const tenant = await makeTenant(stack, 'none');
  const containers = [undefined, await makeContainer(tenant), await makeContainer(tenant), await makeContainer(tenant)];
  const creations = containers.flatMap((container_id) =>
    [1, 2, 3].map(() => ({ name: randomUUID(), tier: 'free', container_id })),
  );
  const answers = await Promise.all(creations.map((body) => tenant.console.send('POST', '/v1/keys', body)));
  expect(answers.map(outcome).sort()).toEqual(['201', ...Array(11).fill('409 free_key_exists')]);
});
