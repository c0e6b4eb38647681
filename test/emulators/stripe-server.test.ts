import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startStripe } from '../../emulators/stripe/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { priceId, secretKey, startHarness, webhookSecret } from './stripe-harness.ts';

const options = { now: () => 0, secretKey, webhookSecret, priceId, webhookUrl: 'http://127.0.0.1:9/' };

async function makeStatePath(): Promise<string> {
  return join(temporaryFolder('stripe'), 'stripe.json');
}

test('a start on a port in use fails with EADDRINUSE', async () => {
  const { emulator } = await startHarness();
  await expect(startStripe({ ...options, port: emulator.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('the state survives a restart', async () => {
  const file = await makeStatePath();
  const before = await startHarness({ file });
  await before.emulator.setSubscription('t1', 'past_due');
  await before.emulator.stop();
  const after = await startHarness({ file });
  const { data } = await after.stripe.subscriptions.list();
  expect(data).toMatchObject([{ status: 'past_due', metadata: { tenant_id: 't1' } }]);
});

test('a change is in the state file when its request is answered, and no temporary file remains', async () => {
  const file = await makeStatePath();
  const { stripe } = await startHarness({ file });
  const { id } = await stripe.customers.create();
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ customers: [{ id }] });
  expect(await readdir(dirname(file))).toEqual(['stripe.json']);
});

test('while the state file cannot be written, requests succeed, the emulator reports it once, and the next request saves them', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const file = await makeStatePath();
  const { stripe } = await startHarness({ file });
  await mkdir(`${file}.tmp`);
  const { id } = await stripe.customers.create();
  await stripe.customers.create();
  expect(written.mock.calls).toEqual([[expect.stringContaining(`Nothing can be saved to ${file} (EISDIR`)]]);
  await rmdir(`${file}.tmp`);
  await stripe.customers.list();
  expect(await readFile(file, 'utf8')).toContain(id);
});

test('a file that is not a state file is refused', async () => {
  const file = await makeStatePath();
  await writeFile(file, '{"customers":7}');
  await expect(startStripe({ ...options, port: 0, file })).rejects.toThrow('is not a state file');
});

test('without a state file, the state is lost when the emulator stops', async () => {
  const first = await startHarness();
  await first.stripe.customers.create();
  const second = await startHarness();
  expect((await second.stripe.customers.list()).data).toEqual([]);
});
