import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { type ContainerId, idSchema, type TenantId } from '../../../shared/base/ids.ts';
import { nameClaim } from '../../../shared/tenancy/claim.ts';
import { keyEventsOfTenant } from '../../support/audit.ts';
import { list, outcome, text } from '../../support/client.ts';
import { BOUNDED, countsOf, setCount } from '../../support/counts.ts';
import { patchDocument } from '../../support/firestore.ts';
import { type SecondService, signInSettings, startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant, type Tenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '409 limit_reached';

test.each(BOUNDED)(
  'at the limit of $most $things per tenant, removing one object makes room for exactly one more',
  async ({ counter, most, path, body, end: [method, suffix] }) => {
    const { id, console } = await makeTenant(stack);
    const create = () => console.send('POST', path, body());
    const one = text(await create(), 'id');
    await setCount(stack, id, counter, most);
    const refused = await create();
    expect(outcome(refused)).toBe(REFUSED);
    expect(text(refused, 'message')).toContain(most.toLocaleString('en-US'));
    expect(outcome(await console.send(method, `${path}/${one}${suffix}`))).toBe('204');
    expect((await countsOf(stack, id))[counter]).toBe(most - 1);
    expect(outcome(await create())).toBe('201');
    expect(outcome(await create())).toBe(REFUSED);
  },
);

test('after 100,000 paid keys in a month, paid keys get 409 limit_reached even after one is destroyed, but free keys are created', async () => {
  const { id, api, console } = await makeTenant(stack);
  const create = (tier: string) => api.send('POST', '/v1/keys', { name: randomUUID(), tier });
  const first = text(await create('wrapped'), 'id');
  await setCount(stack, id, 'paid_keys_created', 99_999);
  expect(outcome(await create('software'))).toBe('201');
  await console.send('POST', `/v1/keys/${first}/destroy`);
  const refused = await create('wrapped');
  expect(outcome(refused)).toBe(REFUSED);
  expect(text(refused, 'message')).toContain('100,000 paid keys in a month');
  expect(outcome(await create('free'))).toBe('201');
  expect(await keyEventsOfTenant(console)).toContainEqual(
    expect.objectContaining({ operation: 'create_key', error_code: 'limit_reached' }),
  );
});

test('a tenant with a free key is told so even if it has as many keys as it may have', async () => {
  const { id, console, createKey } = await makeTenant(stack);
  await createKey('free');
  await setCount(stack, id, 'keys', 10_000);
  const another = await console.send('POST', '/v1/keys', { name: 'another', tier: 'free' });
  expect(outcome(another)).toBe('409 free_key_exists');
});

test('a key pending deletion still counts towards the limit of keys', async () => {
  const { id, console, createKey } = await makeTenant(stack);
  const key = await createKey('wrapped');
  await setCount(stack, id, 'keys', 10_000);
  const create = async () => outcome(await console.send('POST', '/v1/keys', { name: 'another', tier: 'wrapped' }));
  await console.send('DELETE', `/v1/keys/${key}`);
  expect(await create()).toBe(REFUSED);
  await console.send('POST', `/v1/keys/${key}/destroy`);
  expect(await create()).toBe('201');
});

test('below the limits, concurrent creations of keys and API keys through two processes all succeed', async () => {
  const { id, api, console } = await makeTenant(stack);
  const second = await startSecondService(stack);
  onTestFinished(() => void second.stop());
  const secondClient = new Client(second, api.token);
  const creations = Array.from({ length: 20 }, (_, n) =>
    (n % 2 === 0 ? api : secondClient).send('POST', '/v1/keys', { name: `key ${n}`, tier: 'wrapped' }),
  );
  const minted = Array.from({ length: 12 }, () => console.send('POST', '/v1/api-keys', { name: 'one of many' }));
  expect((await Promise.all([...creations, ...minted])).map(outcome)).toEqual(Array(32).fill('201'));
  expect(await countsOf(stack, id)).toMatchObject({ keys: 20, api_keys: 13 });
});

/** For each kind of object with unique names, a function that returns the id of the document which reserves a name. */
const CLAIMS = {
  keys: (_: TenantId, container: ContainerId, name: string) => nameClaim('key', container, name),
  containers: (tenant: TenantId, _: ContainerId, name: string) => nameClaim('container', tenant, name),
  firewalls: (_: TenantId, container: ContainerId, name: string) => nameClaim('firewall', container, name),
};
const KINDS = BOUNDED.flatMap((kind) =>
  kind.counter === 'api_keys' ? [] : { ...kind, claimOf: CLAIMS[kind.counter] },
);

test.each(KINDS)(
  'one of the $things that is removed or renamed does not free its name if the name is reserved for another object',
  async ({ path, body, end: [method, suffix], claimOf }) => {
    const { id, console } = await makeTenant(stack);
    const [container] = list(await console.send('GET', '/v1/containers'));
    const [tenantId, containerId] = [idSchema<TenantId>().parse(id), idSchema<ContainerId>().parse(container?.id)];
    for (const [how, to, expected, change] of [
      [method, suffix, '204', undefined],
      ['PATCH', '', '200', { name: 'another' }],
    ] as const) {
      const wanted = { ...body(), name: randomUUID() };
      const thing = text(await console.send('POST', path, wanted), 'id');
      const claim = claimOf(tenantId, containerId, wanted.name);
      await patchDocument(stack, `names/${claim}`, 'holder', { stringValue: randomUUID() });
      expect(outcome(await console.send(how, `${path}/${thing}${to}`, change))).toBe(expected);
      expect(outcome(await console.send('POST', path, wanted))).toMatch(/^409 (key|container|firewall)_exists$/);
    }
  },
);

const TAKEN = '409 free_key_exists';
/** A process without billing: an operator switches billing on when the stack's own process replaces it. */
let serviceWithoutBilling: SecondService;
beforeAll(async () => {
  serviceWithoutBilling = await startSecondService(stack, signInSettings(stack));
});
afterAll(() => serviceWithoutBilling.stop());

const withoutBilling = ({ console }: Tenant) => new Client(serviceWithoutBilling, console.token);

async function createFree(client: Client, name: string): Promise<string> {
  return text(await client.send('POST', '/v1/keys', { name, tier: 'free' }), 'id');
}

async function tryAnother({ console }: Tenant): Promise<string> {
  return outcome(await console.send('POST', '/v1/keys', { name: 'another', tier: 'free' }));
}

const destroy = async (client: Client, id: string) => outcome(await client.send('POST', `/v1/keys/${id}/destroy`));

test('after billing is switched on, all existing free keys must be destroyed before another can be created', async () => {
  const tenant = await makeTenant(stack, 'none');
  const ids = [];
  for (const name of ['first', 'second', 'third']) ids.push(await createFree(withoutBilling(tenant), name));
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
  const ids = [
    await createFree(tenant.console, 'with billing'),
    await createFree(withoutBilling(tenant), 'without billing'),
  ];
  for (const id of ids) {
    expect(await tryAnother(tenant)).toBe(TAKEN);
    expect(await destroy(withoutBilling(tenant), id)).toBe('204');
  }
  expect(await tryAnother(tenant)).toBe('201');
});
