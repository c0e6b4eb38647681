import { randomUUID } from 'node:crypto';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { keyEventsOfTenant } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { BOUNDED, countsOf, setCount } from '../../support/counts.ts';
import { startSecondService } from '../../support/second-service.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const REFUSED = '409 limit_reached';

describe.each(BOUNDED)(
  'the limit of $most $things per tenant',
  ({ counter, most, path, body, end: [method, suffix] }) => {
    test('at the limit, removing one object makes room for exactly one more', async () => {
      const { id, console } = await makeTenant(stack);
      const create = () => console.send('POST', path, body());
      const one = text(await create(), 'id');
      await setCount(stack, id, counter, most);
      const refused = await create();
      expect([outcome(refused), text(refused, 'message')]).toEqual([
        REFUSED,
        expect.stringContaining(most.toLocaleString('en-US')),
      ]);
      expect(outcome(await console.send(method, `${path}/${one}${suffix}`))).toBe('204');
      expect((await countsOf(stack, id))[counter]).toBe(most - 1);
      expect(outcome(await create())).toBe('201');
      expect(outcome(await create())).toBe(REFUSED);
    });
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
