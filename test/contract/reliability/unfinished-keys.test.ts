import { createServer } from 'node:http';
import { beforeEach, expect, test } from 'vitest';
import { eventsOfKey, inWords, keyEventsOfTenant } from '../../support/audit.ts';
import { outcome, text } from '../../support/client.ts';
import { countsOf } from '../../support/counts.ts';
import { forgetTenants } from '../../support/forget.ts';
import { kmsKeyIds, kmsVersionStates } from '../../support/kms.ts';
import { ownStack } from '../../support/own-stack.ts';
import { listen, startSecondService } from '../../support/second-service.ts';
import { destroyDueKeys, hourLater, setFaults } from '../../support/steer.ts';
import { Client, makeTenant } from '../../support/tenant.ts';

const stack = ownStack();
beforeEach(() => forgetTenants(stack));

test('if a crash interrupts the creation of a key, the name stays taken and the key counts towards limits until destroy-due-keys removes the key', async () => {
  const tenant = await makeTenant(stack, 'none');
  const silent = createServer();
  const service = await startSecondService(stack, { KMS_EMULATOR_HOST: `127.0.0.1:${await listen(silent)}` });
  const body = { name: 'orders', tier: 'free' };
  const interruptedRequest = new Client(service, tenant.api.token)
    .send('POST', '/v1/keys', body)
    .catch(() => 'cut off');
  const counted = async () => countsOf(stack, tenant.id);
  await expect.poll(counted).toMatchObject({ keys: 1, free_keys: 1 });
  service.child.kill('SIGKILL');
  expect(await interruptedRequest).toBe('cut off');
  silent.close();
  const create = async (name: string) => outcome(await tenant.api.send('POST', '/v1/keys', { ...body, name }));
  expect(await create('orders')).toBe('409 key_exists');
  expect(await create('invoices')).toBe('409 free_key_exists');
  await hourLater(stack);
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 0, finished: 0, cleared: 1, failed: 0 });
  expect(await counted()).toMatchObject({ keys: 0, free_keys: 0 });
  expect(await create('orders')).toBe('201');
});

test('if the audit row of a key creation cannot be written, the key is not listed, and destroy-due-keys destroys its KMS version', async () => {
  const tenant = await makeTenant(stack);
  const before = await kmsKeyIds(stack);
  await setFaults(stack, { audit_rows: 'down' });
  const body = { name: 'orders', tier: 'software' };
  expect(outcome(await tenant.api.send('POST', '/v1/keys', body))).toBe('500 internal_error');
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([]);
  await setFaults(stack, { audit_rows: null });
  const orphans = (await kmsKeyIds(stack)).filter((id) => !before.includes(id));
  const created = await tenant.api.send('POST', '/v1/keys', body);
  expect(outcome(created)).toBe('201');
  expect(inWords(await keyEventsOfTenant(tenant.console))).toEqual(['create_key']);
  await hourLater(stack);
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 0, finished: 0, cleared: 1, failed: 0 });
  for (const id of orphans) expect(await kmsVersionStates(stack, id)).toEqual(['DESTROY_SCHEDULED']);
  expect((await tenant.api.send('GET', '/v1/keys')).body).toEqual([created.body]);
});

test('if the audit row of a key’s destruction could not be written, destroy-due-keys finishes and records the destruction', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  await setFaults(stack, { audit_rows: 'down' });
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${id}/destroy`))).toBe('500 internal_error');
  await setFaults(stack, { audit_rows: null });
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${id}/restore`))).toBe('409 restore_window_closed');
  expect(await destroyDueKeys(stack)).toEqual({ destroyed: 1, finished: 0, cleared: 0, failed: 0 });
  expect(inWords(await eventsOfKey(tenant.api, id))).toEqual([
    'create_key',
    'restore_key restore_window_closed',
    'destroy_key',
  ]);
});

test('a key works after a rotation that runs while destroy-due-keys finishes an earlier rotation', async () => {
  const tenant = await makeTenant(stack);
  const id = await tenant.createKey('software');
  const path = `/v1/keys/${id}`;
  await setFaults(stack, { audit_rows: 'down' });
  expect(outcome(await tenant.api.send('POST', `${path}/rotate`))).toBe('500 internal_error');
  expect(await kmsVersionStates(stack, id)).toHaveLength(2);
  await setFaults(stack, { audit_rows: null });
  await hourLater(stack);
  await setFaults(stack, { kms: { delay_ms: 500 } });
  const rotation = tenant.api.send('POST', `${path}/rotate`);
  await expect.poll(() => kmsVersionStates(stack, id)).toHaveLength(3);
  await destroyDueKeys(stack);
  expect(outcome(await rotation)).toBe('200');
  await setFaults(stack, { kms: null });
  const sealed = await tenant.api.send('POST', `${path}/encrypt`, { plaintext: 'AAAA' });
  expect(outcome(sealed)).toBe('200');
  const opened = await tenant.api.send('POST', `${path}/decrypt`, { ciphertext: text(sealed, 'ciphertext') });
  expect(opened.body).toEqual({ plaintext: 'AAAA' });
});
