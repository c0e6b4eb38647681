import { beforeAll, expect, test } from 'vitest';
import type { Key } from '../../shared/keys/key.ts';
import { monthSchema } from '../../shared/metering/month.ts';
import { list } from '../support/client.ts';
import { ownStack } from '../support/own-stack.ts';
import { keysOf, storeKeys } from '../support/stored.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';
import { usageOf } from '../support/usage.ts';

const MONTH = monthSchema.parse('2026-10');
/** As many keys as a tenant may have, a sixth of them used in the month, and destroyed ones among them, of which every second was used. */
const WANTED = Array.from({ length: 10_500 }, (_, n) => {
  const isDestroyed = n % 21 === 0;
  return { isDestroyed, ops: (isDestroyed ? n % 2 === 0 : n % 6 === 1) ? n + 2 : 0 };
});

const stack = ownStack();
let tenant: Tenant;
let keys: readonly (Key & { readonly isDestroyed: boolean; readonly ops: number })[];
beforeAll(async () => {
  tenant = await makeTenant(stack);
  const stored = await keysOf(tenant, WANTED);
  await storeKeys(stack, stored, MONTH);
  keys = stored.map(({ key, ops }) => ({ ...key, isDestroyed: key.state === 'destroyed', ops }));
});

test('10,000 keys are read back whole in one list, oldest first', async () => {
  const live = keys.filter(({ isDestroyed }) => !isDestroyed);
  expect(live).toHaveLength(10_000);
  expect(list(await tenant.console.send('GET', '/v1/keys')).map(({ id }) => id)).toEqual(live.map(({ id }) => id));
});

test('and so is the usage of all that are live or were used', async () => {
  const shown = keys.filter(({ isDestroyed, ops }) => !isDestroyed || ops > 0);
  expect(shown).toHaveLength(10_250);
  const lines = (await usageOf(tenant.api, MONTH)).map(({ key_id, ops }) => ({ key_id, ops }));
  expect(lines).toEqual(shown.map(({ id, ops }) => ({ key_id: id, ops })));
});
