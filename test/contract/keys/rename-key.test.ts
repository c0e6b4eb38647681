import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { eventsOfKey, inWords } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { keyObject, read } from '../../support/objects.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');

test('a rename changes only the name, frees the old name at once and keeps ciphertext readable', async () => {
  const tenant = await makeTenant(stack);
  const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'software' }));
  const path = `/v1/keys/${created.id}`;
  const encrypted = await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' });
  const renamed = await tenant.api.send('PATCH', path, { name: 'invoices' });
  expect(renamed).toMatchObject({ status: 200, body: { ...created, name: 'invoices' } });
  const decrypted = await tenant.api.send('POST', `${path}/decrypt`, { ciphertext: text(encrypted, 'ciphertext') });
  expect(outcome(decrypted)).toBe('200');
  expect(outcome(await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' }))).toBe('201');
  expect(outcome(await tenant.console.send('PATCH', path, { name: 'orders' }))).toBe('409 key_exists');
  expect(inWords(await eventsOfKey(tenant.api, created.id)).slice(-2)).toEqual(['decrypt', 'rename_key key_exists']);
});

test('renaming a key to its current name returns 200 and is not recorded', async () => {
  const tenant = await makeTenant(stack);
  const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' }));
  const renamed = await tenant.console.send('PATCH', `/v1/keys/${created.id}`, { name: 'orders' });
  expect(renamed).toMatchObject({ status: 200, body: created });
  expect(inWords(await eventsOfKey(tenant.api, created.id))).toEqual(['create_key']);
});

test('a request to rename a key ignores other fields, including those that are fixed at creation', async () => {
  const tenant = await makeTenant(stack);
  const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' }));
  const fixed = { id: randomUUID(), tier: 'hsm', container_id: randomUUID(), state: 'destroyed', colour: 'red' };
  const renamed = await tenant.api.send('PATCH', `/v1/keys/${created.id}`, { name: 'invoices', ...fixed });
  expect(renamed).toMatchObject({ status: 200, body: { ...created, name: 'invoices' } });
});
