import { expect, test } from 'vitest';
import { eventsOfKey } from '../../support/audit.ts';
import { outcome } from '../../support/client.ts';
import { makeActiveKey, requestDeletion } from '../../support/deletion.ts';
import { forgetTenants } from '../../support/forget.ts';
import { ownStack } from '../../support/own-stack.ts';
import { DAY_MS, destroyDueKeys, later, MINUTE_MS, setClock } from '../../support/steer.ts';

const stack = ownStack();

test('destroy-due-keys destroys only the keys that are due for destruction, and its audit rows name no API key and no user', async () => {
  await forgetTenants(stack);
  const { tenant, created, path } = await makeActiveKey(stack);
  const other = `/v1/keys/${await tenant.createKey('software')}`;
  const { destroyAfter } = await requestDeletion(tenant.api, path);
  await setClock(stack, later(destroyAfter, -DAY_MS));
  const { pending: kept } = await requestDeletion(tenant.api, other);
  await setClock(stack, later(destroyAfter, -MINUTE_MS));
  await destroyDueKeys(stack);
  expect(outcome(await tenant.api.send('GET', path))).toBe('200');
  await setClock(stack, later(destroyAfter, MINUTE_MS));
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 1, finished: 0, cleared: 0, failed: 0 });
  expect(outcome(await tenant.api.send('GET', path))).toBe('404 not_found');
  expect((await tenant.api.send('GET', other)).body).toEqual(kept);
  const [newest] = await eventsOfKey(tenant.api, created.id);
  expect(newest).toMatchObject({ operation: 'destroy_key', result: 'success', api_key_id: null, user_id: null });
});

test('a key due for destruction stays listed as pending deletion and keeps its name until it is destroyed', async () => {
  const { tenant, created, path } = await makeActiveKey(stack);
  const { pending, destroyAfter } = await requestDeletion(tenant.api, path);
  await setClock(stack, later(destroyAfter, MINUTE_MS));
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([pending]);
  const duplicate = await tenant.api.send('POST', '/v1/keys', { name: created.name, tier: 'software' });
  expect(outcome(duplicate)).toBe('409 key_exists');
  await destroyDueKeys(stack);
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([]);
});
