import { expect, inject, test } from 'vitest';
import { outcome } from '../../support/client.ts';
import { bodiesFor, METERED, operate, randomBase64, rotate } from '../../support/operations.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf } from '../../support/usage.ts';

const stack = inject('stack');

const opsOf = async (tenant: Tenant, key: string) => (await lineOf(tenant.api, key)).ops;

test('each successful operation counts as one, whatever its size', async () => {
  const tenant = await makeTenant(stack);
  const key = await tenant.createKey('software');
  const bodies = await bodiesFor(tenant.api, key);
  for (const [done, operation] of METERED.entries()) {
    expect(await opsOf(tenant, key)).toBe(1 + done);
    expect(outcome(await operate(tenant.api, key, operation, bodies[operation]))).toBe('200');
  }
  await operate(tenant.api, key, 'encrypt', { plaintext: randomBase64(65_536) });
  expect(await opsOf(tenant, key)).toBe(7);
});

test('every operation with a key adds to the count of that key, whichever API key sends it and whichever key version it uses', async () => {
  const tenant = await makeTenant(stack);
  const [key, other] = [await tenant.createKey('software'), await tenant.createKey('software')];
  const { client } = await tenant.mint();
  await operate(tenant.api, key, 'wrap', {});
  await rotate(tenant.api, key);
  await operate(client, key, 'wrap', {});
  await operate(client, other, 'wrap', {});
  expect([await opsOf(tenant, key), await opsOf(tenant, other)]).toEqual([2, 1]);
});

test('concurrent operations are each counted exactly once', async () => {
  const tenant = await makeTenant(stack);
  const keys = [await tenant.createKey('free'), await tenant.createKey('wrapped')];
  const requests = Array.from({ length: 60 }, (_, index) => operate(tenant.api, keys[index % 2] ?? '', 'wrap', {}));
  expect(new Set((await Promise.all(requests)).map(outcome))).toEqual(new Set(['200']));
  expect(await Promise.all(keys.map((key) => opsOf(tenant, key)))).toEqual([30, 30]);
});
