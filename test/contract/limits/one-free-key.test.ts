import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { outcome, text } from '../../support/client.ts';
import { countsOf } from '../../support/counts.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

/*
 * These tests simulate the moment at which an operator switches billing on. A process without billing and the stack's own
 * process, which has billing, share a store.
 */
const stack = inject('stack');
const TAKEN = '409 free_key_exists';
let serviceWithoutBilling: SecondService;
beforeAll(async () => {
  serviceWithoutBilling = await startSecondService(stack, signInSettings(stack));
});
afterAll(() => serviceWithoutBilling.stop());

const withoutBilling = ({ console }: Tenant) => new Client(serviceWithoutBilling, console.token);

async function create(client: Client, name: string): Promise<string> {
  return text(await client.send('POST', '/v1/keys', { name, tier: 'free' }), 'id');
}

async function tryAnother({ console }: Tenant): Promise<string> {
  return outcome(await console.send('POST', '/v1/keys', { name: 'another', tier: 'free' }));
}

const destroy = async (client: Client, id: string) => outcome(await client.send('POST', `/v1/keys/${id}/destroy`));

test('after billing is switched on, all existing free keys must be destroyed before another can be created', async () => {
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

test('a tenant can have another free key once all are destroyed, even through a process without billing', async () => {
  const tenant = await makeTenant(stack, 'none');
  const ids = [await create(tenant.console, 'with billing'), await create(withoutBilling(tenant), 'without billing')];
  for (const id of ids) {
    expect(await tryAnother(tenant)).toBe(TAKEN);
    expect(await destroy(withoutBilling(tenant), id)).toBe('204');
  }
  expect(await tryAnother(tenant)).toBe('201');
});
