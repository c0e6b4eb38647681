import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startStripe } from '../../emulators/stripe/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { priceId, secretKey, startHarness, webhookSecret } from './stripe-harness.ts';

const options = { now: () => 0, secretKey, webhookSecret, priceId, webhookUrl: 'http://127.0.0.1:9/' };
const makeStatePath = () => join(temporaryFolder('stripe'), 'stripe.json');

test('a change, its idempotency key and its undelivered events are on disk when its request is answered', async () => {
  const file = makeStatePath();
  const before = await startHarness({ file });
  await before.receiver.stop();
  const once = { idempotencyKey: 'key-1' };
  const { id } = await before.stripe.customers.create({ metadata: { tenant_id: 't1' } }, once);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ customers: [{ id }] });
  expect(await readdir(dirname(file))).toEqual(['stripe.json']);
  await before.emulator.setSubscription('t1', 'past_due');
  await before.emulator.stop();
  const after = await startHarness({ file });
  expect((await after.stripe.customers.create({ metadata: { tenant_id: 't1' } }, once)).id).toBe(id);
  expect((await after.stripe.subscriptions.list()).data).toMatchObject([{ customer: id, status: 'past_due' }]);
  await after.emulator.advance();
  expect(after.receiver.events.map(({ type }) => type)).toEqual(['customer.created', 'customer.subscription.created']);
});

test('while the state file cannot be written, requests succeed, the emulator reports it once, and the next request saves them', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const file = makeStatePath();
  const { stripe } = await startHarness({ file });
  await mkdir(`${file}.tmp`);
  const { id } = await stripe.customers.create();
  await stripe.customers.create();
  expect(written.mock.calls).toEqual([[expect.stringContaining(`Nothing can be saved to ${file} (EISDIR`)]]);
  await rmdir(`${file}.tmp`);
  await stripe.customers.list();
  expect(await readFile(file, 'utf8')).toContain(id);
});

test('a start with a file that is not a state file, or on a port in use, fails', async () => {
  const file = makeStatePath();
  await writeFile(file, '{"customers":7}');
  await expect(startStripe({ ...options, port: 0, file })).rejects.toThrow('is not a state file');
  const { emulator } = await startHarness();
  await expect(startStripe({ ...options, port: emulator.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
