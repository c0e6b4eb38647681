import { beforeAll, expect, test } from 'vitest';
import { monthSchema } from '../../../shared/base/month.ts';
import type { Key } from '../../../shared/keys/key.ts';
import { list } from '../../support/client.ts';
import { ownStack } from '../../support/own-stack.ts';
import { keysOf, storeKeys } from '../../support/stored.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { usageOf } from '../../support/usage.ts';

const MONTH = monthSchema.parse('2026-10');
/** The maximum number of live keys of a tenant. One read from Firestore returns fewer than 1,200 keys. */
const COUNT = 10_000;
const stack = ownStack();
let tenant: Tenant;
let keys: readonly (Key & { readonly isDestroyed: boolean; readonly ops: number })[];
/** Every 21st key is destroyed. A sixth of the live keys and half of the destroyed keys were used. */
beforeAll(async () => {
  tenant = await makeTenant(stack);
  const wanted = Array.from({ length: (COUNT / 20) * 21 }, (_, n) => {
    const isDestroyed = n % 21 === 0;
    return { isDestroyed, ops: (isDestroyed ? n % 2 === 0 : n % 6 === 1) ? n + 2 : 0 };
  });
  const stored = await keysOf(tenant, wanted);
  await storeKeys(stack, stored, MONTH);
  keys = stored.map(({ key, ops }) => ({ ...key, isDestroyed: key.state === 'destroyed', ops }));
});

test('GET /v1/keys lists all 10,000 live keys of a tenant, oldest first', async () => {
  const live = keys.filter(({ isDestroyed }) => !isDestroyed);
  expect(live).toHaveLength(COUNT);
  expect(list(await tenant.console.send('GET', '/v1/keys')).map(({ id }) => id)).toEqual(live.map(({ id }) => id));
});

test('the usage report of a tenant with 10,000 live keys has these keys and the destroyed keys that were used', async () => {
  const shown = keys.filter(({ isDestroyed, ops }) => !isDestroyed || ops > 0);
  expect(shown).toHaveLength(COUNT + COUNT / 40);
  const lines = (await usageOf(tenant.api, MONTH)).map(({ key_id, ops }) => ({ key_id, ops }));
  expect(lines).toEqual(shown.map(({ id, ops }) => ({ key_id: id, ops })));
});
