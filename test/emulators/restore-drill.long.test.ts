import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { PROJECT_ID } from '../../emulators/base/project.ts';
import { Exports } from '../../emulators/firestore/exports.ts';
import type { Stack } from '../../emulators/stack/stack.ts';
import { startStack } from '../../emulators/stack/start-stack.ts';
import { type Answer, call } from './stack-client.ts';

const port = 23_480;
const flavour = { billing: true, console: true, wrappedRoot: true, transit: true };
const made = z.object({ id: z.string() });
const sealed = z.object({ ciphertext: z.string() });
const plaintext = Buffer.from('kept').toString('base64');
const work = mkdtempSync(join(tmpdir(), 'restore-drill-'));
const dir = join(work, '.local');
const backup = join(work, 'backup');
let running: Stack | undefined;

afterEach(async () => {
  await running?.stop();
  rmSync(work, { recursive: true });
}, 60_000);

async function start(): Promise<Stack> {
  running = await startStack({ ...flavour, port, dir });
  return running;
}

/** A tenant's request, with the API key that it has had all along. */
function asTenant(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
  return call(method, `http://127.0.0.1:${port}/v1${path}`, { token, body });
}

async function create(token: string, name: string, tier: string): Promise<string> {
  return made.parse((await asTenant(token, 'POST', '/keys', { name, tier })).body).id;
}

async function encrypt(token: string, id: string): Promise<string> {
  return sealed.parse((await asTenant(token, 'POST', `/keys/${id}/encrypt`, { plaintext })).body).ciphertext;
}

test('a store restored from its export, with the KMS that is still there, opens old ciphertext', async () => {
  const first = await start();
  const token = first.overview.demo.api_key;
  const keys = await Promise.all(['wrapped', 'software', 'hsm'].map((tier) => create(token, tier, tier)));
  const old = await Promise.all(keys.map(async (id) => ({ id, ciphertext: await encrypt(token, id) })));
  await new Exports(backup, `127.0.0.1:${port + 5}`, PROJECT_ID).save();
  const late = await create(token, 'after the backup', 'software');
  await first.stop();

  // The disaster takes everything but the backup and the KMS.
  copyFileSync(join(dir, 'kms.json'), join(work, 'kms.json'));
  rmSync(dir, { recursive: true });
  mkdirSync(dir);
  copyFileSync(join(work, 'kms.json'), join(dir, 'kms.json'));
  cpSync(backup, join(dir, 'firestore'), { recursive: true });

  await start();
  for (const { id, ciphertext } of old) {
    const opened = await asTenant(token, 'POST', `/keys/${id}/decrypt`, { ciphertext });
    expect(opened).toEqual({ status: 200, body: { plaintext } });
    expect(await encrypt(token, id)).not.toBe(ciphertext);
  }
  // What came after the backup is gone.
  expect((await asTenant(token, 'GET', `/keys/${late}`)).status).toBe(404);
}, 180_000);
