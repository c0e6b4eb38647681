import { describe, expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { makeActiveKey, moveTo, requestDeletion } from '../../support/deletion.ts';
import { keyObject, read } from '../../support/objects.ts';
import { ownStack } from '../../support/own-stack.ts';
import { DAY_MS, destroyDueKeys, later, MINUTE_MS, setClock, setFaults } from '../../support/steer.ts';
import { ALL_TIERS, type Client, makeTenant } from '../../support/tenant.ts';

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

describe('repeated deletes of a key', () => {
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

  test('concurrent deletions of a key are recorded once', async () => {
    const { tenant, created, path } = await makeActiveKey(stack);
    const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.api.send('DELETE', path)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
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
});

/** For each operation that is refused on a key pending deletion, returns a request that succeeds on an active key. */
async function refusedOperations(client: Client, path: string) {
  const ciphertext = text(await client.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' }), 'ciphertext');
  const wrapped = text(await client.send('POST', `${path}/wrap`, {}), 'wrapped');
  return [
    ['encrypt', 'POST', `${path}/encrypt`, { plaintext: 'AAAA' }],
    ['decrypt', 'POST', `${path}/decrypt`, { ciphertext }],
    ['wrap', 'POST', `${path}/wrap`, {}],
    ['unwrap', 'POST', `${path}/unwrap`, { wrapped }],
    ['rewrap', 'POST', `${path}/rewrap`, { ciphertext }],
    ['rotate_key', 'POST', `${path}/rotate`, undefined],
    ['rename_key', 'PATCH', path, { name: 'another' }],
  ] as const;
}

test.each(ALL_TIERS)(
  'a %s key pending deletion cannot be used, rotated or renamed, and the message says whether the key can still be restored',
  async (tier) => {
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey(tier, 'kept');
    const operations = await refusedOperations(tenant.api, `/v1/keys/${id}`);
    const pending = read(keyObject, await tenant.api.send('DELETE', `/v1/keys/${id}`));
    const destroyAfter = pending.destroy_after ?? '';
    for (const [operation, method, path, body] of operations) {
      const answer = await tenant.api.send(method, path, body);
      expect([operation, outcome(answer)]).toEqual([operation, '409 key_pending_deletion']);
      expect(text(answer, 'message')).toContain(destroyAfter);
    }
    await setClock(stack, later(destroyAfter, MINUTE_MS));
    for (const [operation, method, path, body] of operations) {
      const answer = await tenant.api.send(method, path, body);
      expect([operation, outcome(answer)]).toEqual([operation, '409 key_pending_deletion']);
      expect(text(answer, 'message')).toContain('can no longer be restored');
    }
    expect((await tenant.api.send('GET', `/v1/keys/${id}`)).body).toEqual(pending);
    const refused = operations.map(([operation]) => `${operation} key_pending_deletion`);
    const rows = inWords(await eventsOfKey(tenant.api, id));
    expect(rows.slice(-15)).toEqual(['delete_key', ...refused, ...refused]);
  },
);

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
