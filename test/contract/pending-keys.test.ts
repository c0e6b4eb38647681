import { expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../support/audit.ts';
import { list, outcome, text } from '../support/client.ts';
import { keyObject, read } from '../support/objects.ts';
import { ownStack } from '../support/own-stack.ts';
import { destroyDueKeys, later, MINUTE_MS, setClock } from '../support/steer.ts';
import { ALL_TIERS, type Client, makeTenant, signIn } from '../support/tenant.ts';

const stack = ownStack();

/** All that a key pending deletion refuses, with what it would take on an active one. */
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
  'a %s key pending deletion refuses the five operations, rotation and renaming, saying until when or that it is too late',
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

test('a restored key opens what was sealed before its deletion', async () => {
  const tenant = await makeTenant(stack);
  for (const tier of ALL_TIERS) {
    const path = `/v1/keys/${await tenant.createKey(tier)}`;
    const sealed = await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' });
    await tenant.api.send('DELETE', path);
    await tenant.api.send('POST', `${path}/restore`);
    const opened = await tenant.api.send('POST', `${path}/decrypt`, { ciphertext: text(sealed, 'ciphertext') });
    expect(opened.body).toEqual({ plaintext: 'AAAA' });
  }
});

test('a free key pending deletion holds the place, past its date too, until it is destroyed', async () => {
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

test.each(['destroyed now', 'destroyed on schedule'])(
  'a key %s while pending keeps the time its deletion was requested: its days end there',
  async (how) => {
    await setClock(stack, '2026-11-05T09:00:00Z');
    const tenant = await makeTenant(stack);
    const id = await tenant.createKey('wrapped');
    await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
    await setClock(stack, '2026-11-10T23:00:00Z');
    await tenant.api.send('DELETE', `/v1/keys/${id}`);
    await setClock(stack, '2026-11-17T23:30:00Z');
    if (how === 'destroyed on schedule') await destroyDueKeys(stack);
    const session = await signIn(stack, tenant.subject);
    const destroyed = await session.send('POST', `/v1/keys/${id}/destroy`);
    expect(outcome(destroyed)).toBe(how === 'destroyed now' ? '204' : '404 not_found');
    const lines = list(await session.send('GET', '/v1/usage?period=2026-11'));
    // The 5th to the 10th are 6 days of 30: a fifth of 50,000 operations.
    expect(lines).toMatchObject([{ key_id: id, ops: 1, cap: 50_000, allowance: 10_000 }]);
  },
);

test('an active key destroyed now has the day of its destruction as its last', async () => {
  await setClock(stack, '2026-11-05T09:00:00Z');
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  await tenant.api.send('POST', `/v1/keys/${id}/encrypt`, { plaintext: 'AAAA' });
  await setClock(stack, '2026-11-07T09:00:00Z');
  const session = await signIn(stack, tenant.subject);
  expect(outcome(await session.send('POST', `/v1/keys/${id}/destroy`))).toBe('204');
  const lines = list(await session.send('GET', '/v1/usage?period=2026-11'));
  expect(lines).toMatchObject([{ key_id: id, ops: 1, cap: 100_000, allowance: 10_000 }]);
});
