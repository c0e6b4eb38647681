import { describe, expect, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { makeActiveKey, moveTo, requestDeletion } from '../../support/deletion.ts';
import { ownStack } from '../../support/own-stack.ts';
import { DAY_MS, later, MINUTE_MS } from '../../support/steer.ts';
import { ALL_TIERS, makeTenant } from '../../support/tenant.ts';

const stack = ownStack();

describe.each([
  ['an API key', 'api'],
  ['a session', 'console'],
] as const)('restoring a key with %s', (_, credential) => {
  test('restoring a key pending deletion makes the key active, with the same fields as before its deletion', async () => {
    const { tenant, created, path } = await makeActiveKey(stack);
    await requestDeletion(tenant.api, path);
    const restored = await tenant[credential].send('POST', `${path}/restore`);
    expect(restored.status).toBe(200);
    expect(restored.body).toEqual(created);
    expect((await tenant.api.send('GET', path)).body).toEqual(created);
    expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key', 'delete_key', 'restore_key']);
  });
});

test('a restored key decrypts ciphertext from before its deletion', async () => {
  const tenant = await makeTenant(stack);
  for (const tier of ALL_TIERS) {
    const path = `/v1/keys/${await tenant.createKey(tier)}`;
    const encrypted = await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' });
    await tenant.api.send('DELETE', path);
    await tenant.api.send('POST', `${path}/restore`);
    const decrypted = await tenant.api.send('POST', `${path}/decrypt`, { ciphertext: text(encrypted, 'ciphertext') });
    expect(decrypted.body).toEqual({ plaintext: 'AAAA' });
  }
});

test.each([
  ['a minute before destroy_after', -MINUTE_MS, '200'],
  ['at destroy_after', 0, '409 restore_window_closed'],
  ['a minute after destroy_after', MINUTE_MS, '409 restore_window_closed'],
  ['a year after destroy_after', 365 * DAY_MS, '409 restore_window_closed'],
])('restoring a key %s returns $2', async (_when, afterMs, expected) => {
  const { tenant, path } = await makeActiveKey(stack);
  const { pending, destroyAfter } = await requestDeletion(tenant.api, path);
  const session = await moveTo(stack, later(destroyAfter, afterMs), tenant);
  const answer = await session.send('POST', `${path}/restore`);
  expect(outcome(answer)).toBe(expected);
  if (expected !== '200') expect((await session.send('GET', path)).body).toEqual(pending);
});
