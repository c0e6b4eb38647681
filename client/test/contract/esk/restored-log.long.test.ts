import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { PROJECT_ID } from '../../../../emulators/base/repository.ts';
import { Exports } from '../../../../emulators/firestore/exports.ts';
import type { Stack } from '../../../../emulators/stack/stack.ts';
import { startStack } from '../../../../emulators/stack/start-stack.ts';
import { ROOT } from '../../../../test/sources.ts';
import { firestoreOf } from '../../../../test/support/firestore.ts';
import { sealsOf } from '../../../../test/support/sealed-log.ts';
import { serviceSettings } from '../../../../test/support/second-service.ts';
import { MINUTE_MS, sealAudit, setClock } from '../../../../test/support/steer.ts';
import { signIn } from '../../../../test/support/tenant.ts';
import { esk } from '../../support/esk.ts';

const port = 23_520;
const features = { billing: false, console: true, wrappedRoot: true, transit: false };
const work = mkdtempSync(join(tmpdir(), 'restored-log-'));
const dir = join(work, '.local');
const backup = join(work, 'backup');
const addresses = { baseUrl: `http://127.0.0.1:${port}`, controlUrl: `http://127.0.0.1:${port + 9}` };
// This time is in the future, because the stack creates the tenant at the real time, before the test sets the clock.
const startedAt = Date.now() + 2 * MINUTE_MS;
let running: Stack | undefined;

afterEach(async () => {
  await running?.stop();
  rmSync(work, { recursive: true });
}, 60_000);

/** Restarts the stack with its data and sets the clock to `minutes` after `startedAt`. Returns the demo tenant's id. */
async function start(minutes: number, closed = false): Promise<string> {
  await running?.stop();
  running = await startStack({ ...features, port, dir, closed });
  await setClock(addresses, new Date(startedAt + minutes * MINUTE_MS).toISOString());
  return running.overview.demo.tenant_id;
}

const person = () => signIn(addresses, 'demo');

/** Creates a key, sets the clock to `minutes` after `startedAt`, and seals the log. */
async function seal(name: string, minutes: number) {
  await (await person()).send('POST', '/v1/keys', { name, tier: 'wrapped' });
  await setClock(addresses, new Date(startedAt + minutes * MINUTE_MS).toISOString());
  return sealAudit(addresses);
}

/** Runs `esk audit verify`. `found` contains the code at the start of each line on standard error. */
async function verify(...args: string[]) {
  const profile = { url: addresses.baseUrl, issuer: 'x', client_id: 'x', expires_at: null, refresh_token: null };
  mkdirSync(join(work, 'esk'), { recursive: true });
  writeFileSync(join(work, 'esk/profile.json'), JSON.stringify({ ...profile, access_token: (await person()).token }));
  const checkpoint = join(work, 'log.checkpoint');
  const env = { XDG_CONFIG_HOME: work };
  const { code, stdout, stderr } = await esk(['audit', 'verify', '--checkpoint', checkpoint, ...args], { env });
  const found = stderr.split('\n').flatMap((line) => /^esk: (\w+): /.exec(line)?.[1] ?? []);
  return { code, found, stdout: stdout.toString(), stderr };
}

test('esk audit verify reports a database restore until the user acknowledges it, and still finds later changes', async () => {
  const tenantId = await start(0);
  expect(await seal('first', 3)).toMatchObject({ sealed: 1 });
  await new Exports(backup, `127.0.0.1:${port + 5}`, PROJECT_ID).save();
  expect(await seal('second', 6)).toMatchObject({ sealed: 1 });
  expect(await verify()).toMatchObject({ code: 0 });
  await running?.stop();
  running = undefined;

  // Only Firestore is restored. The KMS and the operator's log stay as they are.
  rmSync(join(dir, 'firestore'), { recursive: true });
  cpSync(backup, join(dir, 'firestore'), { recursive: true });
  await start(9);
  expect(await verify()).toMatchObject({ code: 1, found: ['log_cut', 'not_verified'] });
  const env = { PATH: process.env.PATH, ...serviceSettings(addresses) };
  const program = ['operator/restart-logs.ts', join(dir, 'service.log')];
  const { stdout } = await promisify(execFile)(process.execPath, program, { cwd: ROOT, env });
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { tenant_id: tenantId, lost_size: expect.any(Number), from_size: expect.any(Number), branch: 1 },
    { checkpoints: 2, unchanged: 0, restored: 1, gone: 0 },
  ]);

  expect(await seal('after the restore', 12)).toEqual({ sealed: 0, entries: 0, failed: 0 });
  expect(readFileSync(join(dir, 'service.log'), 'utf8')).toContain(
    'restored audit log not sealed while the service is open',
  );
  expect(await sealsOf(await person())).toHaveLength(1);
  expect(await verify()).toMatchObject({ code: 1, found: ['log_cut', 'not_verified'] });

  await start(15, true);
  expect((await fetch(`${addresses.baseUrl}/v1/me`)).status).toBe(503);
  expect(await sealAudit(addresses)).toMatchObject({ sealed: 1 });

  await start(18);
  const restored = await verify();
  expect(restored).toMatchObject({ code: 1, found: ['log_restored', 'not_verified'] });
  expect(restored.stderr).toMatch(/entry \d+ is lost; .*accept it with --acknowledge/s);
  expect(await verify('--acknowledge')).toMatchObject({ code: 0, stdout: expect.stringContaining('Acknowledged: ') });
  expect(await verify()).toMatchObject({ code: 0, found: [] });
  expect(await seal('later', 21)).toMatchObject({ sealed: 1 });
  expect(await verify()).toMatchObject({ code: 0, found: [] });
  const first = await verify('--checkpoint', join(work, 'another.checkpoint'));
  expect(first).toMatchObject({ code: 1, found: ['log_restored', 'not_verified'] });

  const store = firestoreOf(addresses);
  const head = store.doc(`sealHeads/${tenantId}`);
  const [seals, { size, next_index }] = [await sealsOf(await person()), (await head.get()).data() ?? {}];
  await head.update({ size: seals.at(-2)?.size, next_index: next_index - 1 });
  expect(await verify('--acknowledge')).toMatchObject({ code: 1, found: expect.arrayContaining(['log_cut']) });
  await head.update({ size, next_index });
  await store.doc(`restorations/${head.id}_0`).delete();
  expect(await verify('--acknowledge')).toMatchObject({ code: 1, found: ['restoration_missing', 'not_verified'] });
  await store.terminate();
}, 300_000);
