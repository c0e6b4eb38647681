import { randomUUID } from 'node:crypto';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { keyEventsOfTenant } from '../../support/audit.ts';
import { list, outcome, text } from '../../support/client.ts';
import { BOUNDED, countsOf, setCount } from '../../support/counts.ts';
import { startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '409 limit_reached';

describe.each(BOUNDED)(
  'the limit of $most $things per tenant',
  ({ counter, most, path, body, end: [method, suffix] }) => {
    test('if there is room for one more object, exactly one of five concurrent creations succeeds, and the refusals name the limit', async () => {
      const { id, console } = await makeTenant(stack);
      const before = list(await console.send('GET', path)).length;
      await setCount(stack, id, counter, most - 1);
      const answers = await Promise.all(Array.from({ length: 5 }, () => console.send('POST', path, body())));
      expect(answers.map(outcome).toSorted()).toEqual(['201', ...Array(4).fill(REFUSED)]);
      const refused = answers.filter(({ status }) => status !== 201);
      for (const answer of refused) expect(text(answer, 'message')).toContain(most.toLocaleString('en-US'));
      expect(list(await console.send('GET', path))).toHaveLength(before + 1);
      expect((await countsOf(stack, id))[counter]).toBe(most);
    });

    test('at the limit, removing one object makes room for exactly one more', async () => {
      const { id, console } = await makeTenant(stack);
      const create = () => console.send('POST', path, body());
      const one = text(await create(), 'id');
      await setCount(stack, id, counter, most);
      expect(outcome(await create())).toBe(REFUSED);
      expect(outcome(await console.send(method, `${path}/${one}${suffix}`))).toBe('204');
      expect(outcome(await console.send(method, `${path}/${one}${suffix}`))).toBe('404 not_found');
      expect(outcome(await create())).toBe('201');
      expect(outcome(await create())).toBe(REFUSED);
    });

    test('objects of another tenant do not count towards the limit', async () => {
      const [full, other] = [await makeTenant(stack), await makeTenant(stack)];
      await setCount(stack, full.id, counter, most);
      expect(outcome(await other.console.send('POST', path, body()))).toBe('201');
    });
  },
);

test('a tenant’s counts of keys, API keys, containers and firewalls change when any caller creates or removes such an object', async () => {
  const { id, api, console, mint } = await makeTenant(stack);
  const none = { keys: 0, free_keys: 0, firewalls: 0, paid_keys_created: 0, federation_bytes: 0 };
  expect(await countsOf(stack, id)).toEqual({ ...none, api_keys: 1, containers: 1 });
  const container = text(await console.send('POST', '/v1/containers', { name: 'other' }), 'id');
  const firewall = text(await console.send('POST', '/v1/firewalls', { name: 'f', allowed_ips: ['192.0.2.1'] }), 'id');
  const apiKey = (await mint()).id;
  const free = text(await api.send('POST', '/v1/keys', { name: 'free', tier: 'free' }), 'id');
  const key = text(await console.send('POST', '/v1/keys', { name: 'k', tier: 'hsm', container_id: container }), 'id');
  const all = {
    keys: 2,
    free_keys: 1,
    api_keys: 2,
    containers: 2,
    firewalls: 1,
    paid_keys_created: 1,
    federation_bytes: 0,
  };
  expect(await countsOf(stack, id)).toEqual(all);
  for (const [method, path, body] of [
    ['PATCH', `/v1/keys/${key}`, { name: 'renamed' }],
    ['PATCH', `/v1/containers/${container}`, { name: 'renamed' }],
    ['PATCH', `/v1/firewalls/${firewall}`, { name: 'renamed' }],
    ['PATCH', `/v1/api-keys/${apiKey}`, { name: 'renamed' }],
    ['DELETE', `/v1/keys/${key}`],
    ['DELETE', `/v1/keys/${free}`],
    ['POST', `/v1/keys/${key}/restore`],
  ] as const) {
    expect(outcome(await console.send(method, path, body))).toBe('200');
  }
  expect(await countsOf(stack, id)).toEqual(all);
  for (const path of [`/v1/keys/${key}/destroy`, `/v1/keys/${free}/destroy`]) await console.send('POST', path);
  for (const path of [`/v1/containers/${container}`, `/v1/firewalls/${firewall}`, `/v1/api-keys/${apiKey}`]) {
    await console.send('DELETE', path);
  }
  expect(await countsOf(stack, id)).toEqual({ ...none, api_keys: 1, containers: 1, paid_keys_created: 1 });
});

describe('the limit of 100,000 paid keys that a tenant creates in a month', () => {
  test('at the limit, paid keys get 409 limit_reached even after one is destroyed, but free keys are created', async () => {
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
});

describe('the limit of keys', () => {
  test('a key pending deletion still counts towards the limit', async () => {
    const { id, console, createKey } = await makeTenant(stack);
    const key = await createKey('wrapped');
    await setCount(stack, id, 'keys', 10_000);
    const create = async () => outcome(await console.send('POST', '/v1/keys', { name: 'another', tier: 'wrapped' }));
    await console.send('DELETE', `/v1/keys/${key}`);
    expect(await create()).toBe(REFUSED);
    await console.send('POST', `/v1/keys/${key}/destroy`);
    expect(await create()).toBe('201');
  });

  test('a request to create a key gets 409 limit_reached only if it passes every other check', async () => {
    const { id, api, console, createKey } = await makeTenant(stack, 'none');
    await createKey('free', 'taken');
    await setCount(stack, id, 'keys', 10_000);
    for (const client of [api, console]) {
      const create = async (body: object) =>
        outcome(await client.send('POST', '/v1/keys', { name: 'another', tier: 'free', ...body }));
      expect(await create({ name: '' })).toBe('400 invalid_name');
      expect(await create({ tier: 'gold' })).toBe('400 invalid_tier');
      expect(await create({ container_id: randomUUID() })).toBe('400 invalid_container');
      expect(await create({ tier: 'wrapped' })).toBe('402 billing_required');
      expect(await create({ name: 'taken' })).toBe('409 key_exists');
      expect(await create({})).toBe('409 free_key_exists');
    }
    await setCount(stack, id, 'free_keys', 0);
    expect(outcome(await api.send('POST', '/v1/keys', { name: 'another', tier: 'free' }))).toBe(REFUSED);
  });

  test('if the limit stops an API key from creating a key, the audit log records a failed create_key', async () => {
    const { id, api, apiKeyId, console } = await makeTenant(stack);
    await setCount(stack, id, 'keys', 10_000);
    const refused = await api.send('POST', '/v1/keys', { name: 'one more', tier: 'software' });
    expect(await keyEventsOfTenant(console)).toMatchObject([
      {
        operation: 'create_key',
        result: 'error',
        error_code: 'limit_reached',
        request_id: text(refused, 'request_id'),
        key_id: null,
        api_key_id: apiKeyId,
      },
    ]);
  });
});

test.each(BOUNDED.filter(({ counter }) => counter === 'containers' || counter === 'firewalls'))(
  'at the limit of $things, a creation with a taken name gets the error for the name, not for the limit',
  async ({ counter, most, path, body }) => {
    const { id, console } = await makeTenant(stack);
    const taken = body();
    await console.send('POST', path, taken);
    await setCount(stack, id, counter, most);
    expect(outcome(await console.send('POST', path, taken))).toMatch(/^409 (container|firewall)_exists$/);
  },
);

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
