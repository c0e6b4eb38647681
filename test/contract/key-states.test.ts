import { describe, expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { outcome } from '../support/client.ts';
import { forgetTenants } from '../support/forget.ts';
import { keyObject, read } from '../support/objects.ts';
import { ownStack } from '../support/own-stack.ts';
import { DAY_MS, destroyDueKeys, later, MINUTE_MS, setClock, setFaults } from '../support/steer.ts';
import { type Client, makeTenant, signIn, type Tenant } from '../support/tenant.ts';

const stack = ownStack();

/** A tenant with a key, and what both credentials do to it. */
async function start() {
  const tenant = await makeTenant(stack);
  const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' }));
  return { tenant, created, path: `/v1/keys/${created.id}` };
}

/** Requests the key's deletion and tells until when it can be undone. */
async function requestDeletion(client: Client, path: string) {
  const pending = read(keyObject, await client.send('DELETE', path));
  return { pending, destroyAfter: pending.destroy_after ?? '' };
}

async function moveTo(now: string, { subject }: Tenant): Promise<Client> {
  await setClock(stack, now);
  return signIn(stack, subject);
}

describe.each(['api', 'console'] as const)('with the %s credential', (credential) => {
  test('an active key becomes pending deletion for exactly seven days, without the KMS', async () => {
    const { tenant, created, path } = await start();
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
  });

  test('a key pending deletion is restored as it was', async () => {
    const { tenant, created, path } = await start();
    await requestDeletion(tenant.api, path);
    const restored = await tenant[credential].send('POST', `${path}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toEqual(created);
    expect((await tenant.api.send('GET', path)).body).toEqual(created);
    expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key', 'delete_key', 'restore_key']);
  });

  test('an active key is not restored: 409 not_pending_deletion', async () => {
    const { tenant, created, path } = await start();
    expect(outcome(await tenant[credential].send('POST', `${path}/restore`))).toBe('409 not_pending_deletion');
    expect((await tenant.api.send('GET', path)).body).toEqual(created);
    expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual([
      'create_key',
      'restore_key not_pending_deletion',
    ]);
  });
});

describe('a repeated delete of a key pending deletion', () => {
  test('answers the same, dates included, and is not audited, whoever repeats it and when', async () => {
    const { tenant, created, path } = await start();
    const { pending, destroyAfter } = await requestDeletion(tenant.api, path);
    expect(await tenant.console.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
    await setClock(stack, later(destroyAfter, -2 * DAY_MS));
    expect(await tenant.api.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
    const session = await moveTo(later(destroyAfter, MINUTE_MS), tenant);
    expect(await session.send('DELETE', path)).toMatchObject({ status: 200, body: pending });
    expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key', 'delete_key']);
  });

  test('leaves one row however many are at once', async () => {
    const { tenant, created, path } = await start();
    const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.api.send('DELETE', path)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key', 'delete_key']);
  });

  test('after a restoration is a request of its own, with dates of its own', async () => {
    const { tenant, path } = await start();
    const first = await requestDeletion(tenant.api, path);
    await tenant.api.send('POST', `${path}/restore`);
    await setClock(stack, later(first.destroyAfter, -DAY_MS));
    const second = await requestDeletion(tenant.api, path);
    expect(second.destroyAfter.slice(0, 10)).toBe(later(first.destroyAfter, 6 * DAY_MS).slice(0, 10));
    await setClock(stack, later(first.destroyAfter, MINUTE_MS));
    expect(outcome(await tenant.api.send('POST', `${path}/restore`))).toBe('200');
  });
});

describe('the window of restoration', () => {
  test.each([
    ['a minute before destroy_after', -MINUTE_MS, '200'],
    ['at destroy_after', 0, '409 restore_window_closed'],
    ['a minute after it', MINUTE_MS, '409 restore_window_closed'],
    ['a year after it', 365 * DAY_MS, '409 restore_window_closed'],
  ])('%s', async (_when, afterMs, expected) => {
    const { tenant, path } = await start();
    const { pending, destroyAfter } = await requestDeletion(tenant.api, path);
    const session = await moveTo(later(destroyAfter, afterMs), tenant);
    const answer = await session.send('POST', `${path}/restore`);
    expect(outcome(answer)).toBe(expected);
    if (expected !== '200') expect((await session.send('GET', path)).body).toEqual(pending);
  });

  test('a key that is due stays listed as pending and keeps its name, until it is destroyed', async () => {
    const { tenant, created, path } = await start();
    const { pending, destroyAfter } = await requestDeletion(tenant.api, path);
    await setClock(stack, later(destroyAfter, MINUTE_MS));
    expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([pending]);
    const taken = await tenant.api.send('POST', '/v1/keys', { name: created.name, tier: 'software' });
    expect(outcome(taken)).toBe('409 key_exists');
    await destroyDueKeys(stack);
    expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([]);
  });
});

describe('the scheduled destruction', () => {
  test('destroys the keys that are due and no others, as the service: both ids null', async () => {
    await forgetTenants(stack);
    const { tenant, created, path } = await start();
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

  test('run twice at once leaves one row', async () => {
    const { tenant, created, path } = await start();
    const { destroyAfter } = await requestDeletion(tenant.api, path);
    await setClock(stack, later(destroyAfter, MINUTE_MS));
    await Promise.all([destroyDueKeys(stack), destroyDueKeys(stack), destroyDueKeys(stack)]);
    const rows = inWords(await eventsOfKey(tenant.api, created.id));
    expect(rows).toEqual(['create_key', 'delete_key', 'destroy_key']);
  });
});
