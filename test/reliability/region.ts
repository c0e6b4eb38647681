/*
 * npm run drill -- region: the region with the service and its store is lost, while the KMS goes on. The service starts
 * again on a second store, into which the last export is imported. Prints how long nothing is answered, and what is
 * lost. Fails if anything from before the export is lost, or if a revoked API key works again.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from '../../bench/table.ts';
import { openProcessLog } from '../../emulators/base/child-process.ts';
import { PROJECT_ID } from '../../emulators/base/repository.ts';
import { Exports } from '../../emulators/firestore/exports.ts';
import { provideFirestore } from '../../emulators/firestore/provide.ts';
import { startFirestore } from '../../emulators/firestore/server.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { allConfigured } from '../../emulators/stack/service-environment.ts';
import { ROOT } from '../sources.ts';
import { outcome } from '../support/client.ts';
import { encrypt, operate, randomBase64, rotate } from '../support/operations.ts';
import { listen, startSecondService } from '../support/second-service.ts';
import { startTestStack } from '../support/stacks.ts';
import { Client, makeTenant } from '../support/tenant.ts';

const folder = mkdtempSync(join(tmpdir(), 'drill-region-'));
await using cleanup = new AsyncDisposableStack();
cleanup.defer(async () => rmSync(folder, { recursive: true }));
const stack = await startTestStack();
cleanup.defer(stack.stop);
const first = await startSecondService(stack, allConfigured(stack));
const { api, console, createKey, mint } = await makeTenant({ ...stack, baseUrl: first.baseUrl });

const keys = { kept: await createKey('software'), rotated: await createKey('wrapped') };
const revoked = await mint();
const beforeExport = [await seal('a ciphertext', keys.kept), await seal('a ciphertext of a rotated key', keys.rotated)];
const exports = new Exports(join(folder, 'export'), `127.0.0.1:${portsOf(stack).firestore}`, PROJECT_ID);
const exportedAt = new Date().toISOString();
await exports.save();
await rotate(api, keys.rotated);
const afterExport = [
  await seal('a ciphertext', keys.kept),
  await seal('a ciphertext of the rotated key', keys.rotated),
  await seal('a ciphertext of a new key', await createKey('wrapped')),
];
const minted = await mint();
await console.send('DELETE', `/v1/api-keys/${revoked.id}`);

const lostAt = performance.now();
await first.stop();
const redoLog = join(folder, 'redo.log');
writeFileSync(redoLog, first.printed());
const settings = { ...allConfigured(stack), FIRESTORE_EMULATOR_HOST: `127.0.0.1:${await startSecondStore()}` };
const closed = await startSecondService(stack, { ...settings, CLOSED: 'true' });
const imported = secondsSinceLoss();
runProgram('after-restore', '--since', exportedAt, '--service', closed.baseUrl, redoLog);
runProgram('check-store', '--adopt');
const checked = secondsSinceLoss();
await closed.stop();
const second = await startSecondService(stack, settings);
cleanup.defer(async () => void (await second.stop()));
const answers = { kept: await openAll(beforeExport), lost: await openAll(afterExport) };
const open = secondsSinceLoss();
const [newAnswer, revokedAnswer] = [await answerTo(minted.client), await answerTo(revoked.client)];

process.stdout.write(
  `Nothing was answered for ${open} s: the import took until ${imported} s, and the programs until ${checked} s.\n\n`,
);
const rows = [
  ...answers.kept.map(({ what, answer }) => [what, 'before the export', answer]),
  ...answers.lost.map(({ what, answer }) => [what, 'after the export', answer]),
  ['a new API key', 'after the export', newAnswer],
  ['a revoked API key', 'after the export', revokedAnswer],
];
process.stdout.write(markdownTable(['what', 'acknowledged', 'answer of the second region'], rows));
if (answers.kept.some(({ answer }) => answer !== '200') || revokedAnswer !== '401 unauthorized') process.exitCode = 1;

interface Sealed {
  readonly what: string;
  readonly keyId: string;
  readonly ciphertext: string;
}

async function seal(what: string, keyId: string): Promise<Sealed> {
  return { what, keyId, ciphertext: await encrypt(api, keyId, randomBase64(16)) };
}

async function openAll(sealed: readonly Sealed[]) {
  const at = new Client({ ...stack, baseUrl: second.baseUrl }, api.token);
  const opened = sealed.map(async ({ what, keyId, ciphertext }) => ({
    what,
    answer: outcome(await operate(at, keyId, 'decrypt', { ciphertext })),
  }));
  return Promise.all(opened);
}

async function answerTo({ token }: Client): Promise<string> {
  return outcome(await new Client({ ...stack, baseUrl: second.baseUrl }, token).send('GET', '/v1/keys'));
}

/** Starts the second store with the exported data. Returns its port. */
async function startSecondStore(): Promise<number> {
  const free = createServer();
  const port = await listen(free);
  free.close();
  const jar = (await provideFirestore({})) ?? '';
  const store = await startFirestore({ jar, port, seed: exports.seed, log: openProcessLog(undefined) });
  cleanup.defer(() => store.stop(1_000));
  return port;
}

/** Runs a program of `operator/` on the second store. check-store exits with 1 if it finds something. */
function runProgram(name: string, ...args: readonly string[]): void {
  const env = { PATH: process.env.PATH, ...settings };
  const { status } = spawnSync(process.execPath, [`operator/${name}.ts`, ...args], {
    cwd: ROOT,
    env,
    stdio: 'inherit',
  });
  if (status !== 0 && !(name === 'check-store' && status === 1)) throw new Error(`${name} ended with ${status}`);
}

function secondsSinceLoss(): string {
  return ((performance.now() - lostAt) / 1000).toFixed(1);
}
