import { expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { makeActiveKey, moveTo, requestDeletion } from '../../support/deletion.ts';
import { keyObject, read } from '../../support/objects.ts';
import { ownStack } from '../../support/own-stack.ts';
import { DAY_MS, destroyDueKeys, later, MINUTE_MS, setClock, setFaults } from '../../support/steer.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = ownStack();

test.each([
  ['an API key', 'api'],
  ['a session', 'console'],
] as const)(
  'if %s deletes a key, the key is pending deletion for exactly seven days, even if the KMS is down',
  async (_, credential) => {
    const { tenant, created, path } = await makeActiveKey(stack);
    await setFaults(stack, { kms: 'down' });
    const answer = await tenant[credential].send('DELETE', path);
    const pending = read(keyObject, answer);
    expect(answer.status).toBe(200);
    expect(pending).toEqual({
      ...created,
      state: 'pending_deletion',
      delete_requested_at: pending.delete_requested_at,
      destroy_after: later(pending.delete_requested_at ?? '', 7 * DAY_MS),
    });
    expect(read(keyObject, await tenant[credential].send('GET', path))).toEqual(pending);
    expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key', 'delete_key']);
  },
);

test('deleting a key that is already pending deletion gets the same answer as the first request and is not recorded', async () => {
  const { tenant, created, path } = await makeActiveKey(stack);
  const { pending, destroyAfter } = await requestDeletion(tenant.api, path);
  expect(await tenant.console.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
  await setClock(stack, later(destroyAfter, -2 * DAY_MS));
  expect(await tenant.api.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
  const session = await moveTo(stack, later(destroyAfter, MINUTE_MS), tenant);
  expect(await session.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
  expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key', 'delete_key']);
});

test('deleting a key again after its restoration starts a new deletion with new dates', async () => {
  const { tenant, path } = await makeActiveKey(stack);
  const first = await requestDeletion(tenant.api, path);
  await tenant.api.send('POST', `${path}/restore`);
  await setClock(stack, later(first.destroyAfter, -DAY_MS));
  const second = await requestDeletion(tenant.api, path);
  expect(second.destroyAfter.slice(0, 10)).toBe(later(first.destroyAfter, 6 * DAY_MS).slice(0, 10));
  await setClock(stack, later(first.destroyAfter, MINUTE_MS));
  expect(outcome(await tenant.api.send('POST', `${path}/restore`))).toBe('200');
});

test('the message about a key pending deletion says whether the key can still be restored', async () => {
  const { tenant, path } = await makeActiveKey(stack);
  const { destroyAfter } = await requestDeletion(tenant.api, path);
  const messages = async () => {
    const answers = [tenant.api.send('POST', `${path}/wrap`, {}), tenant.api.send('POST', `${path}/rotate`)];
    return (await Promise.all(answers)).map((answer) => text(answer, 'message'));
  };
  expect(await messages()).toEqual(Array(2).fill(expect.stringContaining(destroyAfter)));
  await setClock(stack, later(destroyAfter, MINUTE_MS));
  expect(await messages()).toEqual(Array(2).fill(expect.stringContaining('can no longer be restored')));
});

test('a free key pending deletion counts as the tenant’s free key until it is destroyed', async () => {
  const tenant = await makeTenant(stack, 'none');
  const another = { name: 'another', tier: 'free' };
  const path = `/v1/keys/${await tenant.createKey('free')}`;
  const pending = read(keyObject, await tenant.api.send('DELETE', path));
  expect(outcome(await tenant.api.send('POST', '/v1/keys', another))).toBe('409 free_key_exists');
  await setClock(stack, later(pending.destroy_after ?? '', MINUTE_MS));
  expect(outcome(await tenant.api.send('POST', '/v1/keys', another))).toBe('409 free_key_exists');
  await destroyDueKeys(stack);
  expect(outcome(await tenant.api.send('POST', '/v1/keys', another))).toBe('201');
});
