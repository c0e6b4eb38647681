import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import type { Log } from '../../shared/base/log.ts';
import { openRestoration } from '../../shared/transparency/restoration.ts';
import { ROOT } from '../sources.ts';
import { firestoreOf } from '../support/firestore.ts';
import { read } from '../support/objects.ts';
import { checkLog, logKeyOf, openSealing, rollBack, sealsOf, storedLogOf } from '../support/sealed-log.ts';
import { serviceSettings } from '../support/second-service.ts';
import { type Client, makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
const CLOSED = { config: { closed: true } };
const SIGNED = 'checkpoint signed';
const STATED = 'restoration of an audit log signed';
const NOT_SEALED = 'restored audit log not sealed while the service is open';

let store: Firestore;
let sealing: ReturnType<typeof openSealing>;
beforeAll(() => {
  store = firestoreOf(stack);
  sealing = openSealing(stack);
});
afterAll(() => store.terminate());

/** Returns a log with which a run ends after it has written a message. */
const endingAfter = (message: string): Log => ({
  write(...line) {
    sealing.services.log.write(...line);
    if (line[0] === message) throw new Error('the process ended');
  },
});

const linesOf = ({ id }: Tenant, message = SIGNED) =>
  sealing.logged.filter((line) => line.message === message && line.tenant_id === id);

/** Runs `operator/restart-logs.ts` with log lines on standard input, by default in gcloud's JSON format. */
async function restart(lines: readonly unknown[], print = asGcloud) {
  const env = { PATH: process.env.PATH, ...serviceSettings(stack) };
  const child = spawn(process.execPath, ['operator/restart-logs.ts', '-'], { cwd: ROOT, env });
  child.stdin.end(print(lines));
  const [out, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')]);
  const printed = out
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { restored: printed.slice(0, -1), summary: printed.at(-1), stderr, code: child.exitCode };
}
const asGcloud = (lines: readonly unknown[]) =>
  JSON.stringify(lines.map((jsonPayload) => ({ insertId: 'x', jsonPayload })));
const asPrinted = (lines: readonly unknown[]) =>
  `> starting\n${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`;

const restorationsOf = async (console: Client, query = '') =>
  read(z.array(z.string()), await console.send('GET', `/v1/audit/restorations${query}`));

/** Returns the codes found in a log, compared with an earlier checkpoint, after the tenant acknowledged statements. */
async function findings({ console }: Tenant, kept?: string, acknowledged: string[] = []): Promise<string[]> {
  return (await checkLog(console, kept, acknowledged)).findings.map(({ code }) => code);
}

const newest = async ({ console }: Tenant) => (await sealsOf(console)).at(-1)?.checkpoint ?? '';

/** Makes a tenant with three seals in its log, then restores the log from a backup that has only the first seal. */
async function makeRestored() {
  const tenant = await makeTenant(stack);
  const add = async () => {
    await tenant.createKey('wrapped');
    await sealing.seal(tenant.id);
  };
  await add();
  const backup = await storedLogOf(store, tenant.id);
  await add();
  await add();
  const kept = await newest(tenant);
  await rollBack(store, tenant.id, backup);
  return { tenant, add, backup, kept };
}

test('the service writes the checkpoint of each seal to the operator’s log', async () => {
  const tenant = await makeTenant(stack);
  await sealing.seal(tenant.id);
  const [seal] = await sealsOf(tenant.console);
  expect(linesOf(tenant)).toEqual([
    expect.objectContaining({
      severity: 'INFO',
      branch: 0,
      index: 0,
      size: seal?.size,
      root: seal?.root,
      checkpoint: seal?.checkpoint,
    }),
  ]);
});

test('a checkpoint is logged before its seal is stored, and if the run is interrupted in between, the next run signs the same checkpoint', async () => {
  const tenant = await makeTenant(stack);
  expect(await sealing.seal(tenant.id, { log: endingAfter(SIGNED) })).toMatchObject({ failed: true });
  expect(await sealsOf(tenant.console)).toEqual([]);
  await tenant.createKey('wrapped');
  await sealing.seal(tenant.id);
  const [first, again] = linesOf(tenant);
  expect(again?.checkpoint).toBe(first?.checkpoint);
  expect((await sealsOf(tenant.console))[0]?.checkpoint).toBe(first?.checkpoint);
});

test('an open service does not seal a restored log; a closed service signs a restoration statement and then seals the log', async () => {
  const { tenant, add, kept } = await makeRestored();
  expect(await findings(tenant, kept)).toContain('log_cut');
  expect(await restart(linesOf(tenant))).toMatchObject({ summary: { checkpoints: 3, restored: 1 }, code: 0 });

  await add();
  expect(linesOf(tenant, NOT_SEALED)).toHaveLength(1);
  expect(await sealsOf(tenant.console)).toHaveLength(1);
  expect(await restorationsOf(tenant.console)).toEqual([]);
  expect(await findings(tenant, kept)).toContain('log_cut');

  await sealing.seal(tenant.id, CLOSED);
  const [statement = '', ...others] = await restorationsOf(tenant.console);
  const [first] = await sealsOf(tenant.console);
  const [, , lost] = linesOf(tenant);
  expect(others).toEqual([]);
  expect(openRestoration(statement, await logKeyOf(tenant.console))).toMatchObject({
    restoration: { lost: { size: lost?.size, root: lost?.root }, from: { size: first?.size, root: first?.root } },
  });
  expect(await restorationsOf(tenant.console, '?from=1')).toEqual([]);
  expect(await sealsOf(tenant.console)).toHaveLength(2);
  expect(await findings(tenant, kept)).toEqual(['log_restored']);
  expect(await findings(tenant)).toEqual(['log_restored']);

  const grown = await newest(tenant);
  await add();
  expect(await findings(tenant, grown, [statement])).toEqual([]);
  expect(await restart(linesOf(tenant), asPrinted)).toMatchObject({
    summary: { checkpoints: 5, unchanged: 1 },
    code: 0,
  });
});

test('the service writes a restoration statement to the operator’s log before it stores the statement', async () => {
  const { tenant } = await makeRestored();
  await restart(linesOf(tenant));
  expect(await sealing.seal(tenant.id, { ...CLOSED, log: endingAfter(STATED) })).toMatchObject({ failed: true });
  expect(await restorationsOf(tenant.console)).toEqual([]);
  await sealing.seal(tenant.id, CLOSED);
  const [first, again] = linesOf(tenant, STATED);
  expect(again?.statement).toBe(first?.statement);
  expect(await restorationsOf(tenant.console)).toEqual([first?.statement]);
});

test('if a second database restore removes the restoration statement, the service signs a new statement', async () => {
  const { tenant, add, backup, kept } = await makeRestored();
  await restart(linesOf(tenant));
  await sealing.seal(tenant.id, CLOSED);
  await add();
  const [first = ''] = await restorationsOf(tenant.console);
  const second = await newest(tenant);

  await rollBack(store, tenant.id, backup);
  expect(await findings(tenant, second, [first])).toEqual(['log_cut', 'restoration_missing']);
  expect(await restart(linesOf(tenant))).toMatchObject({ summary: { restored: 1 } });
  await sealing.seal(tenant.id, CLOSED);
  expect(await findings(tenant, second, [first])).toEqual(['log_restored']);
  expect(await findings(tenant, kept)).toEqual(['log_restored']);
  await add();
  expect(await restart(linesOf(tenant))).toMatchObject({ summary: { unchanged: 1 } });
});

test('if a restored log gets new seals before restart-logs runs, the restoration statement still names the last seal in the backup', async () => {
  const { tenant, add, kept } = await makeRestored();
  const [first] = await sealsOf(tenant.console);
  for (let n = 0; n < 3; n++) await add();
  expect(await findings(tenant, kept)).toEqual(['log_rewritten']);
  await restart(linesOf(tenant).slice(0, 3));
  await sealing.seal(tenant.id, CLOSED);
  const [statement = ''] = await restorationsOf(tenant.console);
  expect(openRestoration(statement, await logKeyOf(tenant.console))).toMatchObject({
    restoration: { from: { size: first?.size } },
  });
  expect(await findings(tenant, kept)).toEqual(['log_restored']);
});

test('if the operator later finds a larger lost checkpoint than the restoration statement names, the service signs a second statement', async () => {
  const { tenant, add, kept } = await makeRestored();
  const [first, second, third] = linesOf(tenant);
  await restart([first, second]);
  await sealing.seal(tenant.id, CLOSED);
  for (let n = 0; n < 3; n++) await add();
  const stated = await restorationsOf(tenant.console);
  expect(await findings(tenant, kept, stated)).toEqual(['log_rewritten']);

  expect(await restart(linesOf(tenant))).toMatchObject({
    restored: [{ lost_size: third?.size, from_size: first?.size, branch: 2 }],
    summary: { restored: 1 },
    code: 0,
  });
  await sealing.seal(tenant.id, CLOSED);
  expect(await restorationsOf(tenant.console)).toHaveLength(2);
  expect(await findings(tenant, kept, stated)).toEqual(['log_restored']);
  await add();
  expect(await restart(linesOf(tenant))).toMatchObject({ restored: [], summary: { unchanged: 1 }, code: 0 });
});

test('if the backup contains the root of the last seal but not its signature, the service signs the same seal again and needs no restoration statement', async () => {
  const tenant = await makeTenant(stack);
  const key = { ...sealing.services.signer.key, publicKey: async () => Promise.reject(new Error('cut off')) };
  await sealing.seal(tenant.id, { signer: { ...sealing.services.signer, key } });
  const backup = await storedLogOf(store, tenant.id);
  await sealing.seal(tenant.id);
  const kept = await newest(tenant);
  await rollBack(store, tenant.id, backup);
  expect(await restart(linesOf(tenant))).toMatchObject({ summary: { unchanged: 1 } });
  await sealing.seal(tenant.id);
  expect(await newest(tenant)).toBe(kept);
  expect(await findings(tenant, kept)).toEqual([]);
});

const headOf = ({ id }: Tenant) => store.doc(`sealHeads/${id}`);
const sealed = async (tenant: Tenant) => ({
  failed: (await sealing.seal(tenant.id, CLOSED)).failed,
  statements: await restorationsOf(tenant.console),
});
const refused = { failed: true, statements: [] };

test('an attacker gets no signed statement about a lost checkpoint that the log’s key has not signed', async () => {
  const { tenant, kept } = await makeRestored();
  const other = await makeRestored();
  for (const lost of [kept.replace(/\n\d+\n/, '\n999\n'), other.kept, '']) {
    await headOf(tenant).update({ restoring: { lost, seals: 1, branch: 1 } });
    expect(await sealed(tenant)).toEqual(refused);
  }
});

test('an attacker gets no signed statement if the last remaining seal has no valid signature or does not match the log', async () => {
  const { tenant, kept } = await makeRestored();
  const [first] = await sealsOf(tenant.console);
  const seal = store.doc(`seals/${tenant.id}_0`);
  const restoring = { lost: kept, seals: 1, branch: 1 };
  await headOf(tenant).update({ restoring });
  await seal.update({ checkpoint: first?.checkpoint.replace(/\n\d+\n/, '\n1\n') });
  expect(await sealed(tenant)).toEqual(refused);
  await seal.update({ checkpoint: first?.checkpoint });
  await headOf(tenant).update({ size: 1 });
  expect(await sealed(tenant)).toEqual(refused);
  await headOf(tenant).update({ size: 0, next_index: 0 });
  expect(await sealed(tenant)).toEqual(refused);
  await headOf(tenant).update({ size: first?.size, next_index: 1 });
  expect(await sealed(tenant)).toMatchObject({ failed: false, statements: [expect.any(String)] });
});

test('an attacker cannot falsify how many entries a restore lost, because restart-logs computes it only from the log lines and the seals', async () => {
  const { tenant } = await makeRestored();
  const [first, second, third] = linesOf(tenant);
  await headOf(tenant).update({ restoring: { lost: third?.checkpoint, seals: 0, branch: 7 } });
  const { restored, stderr, code } = await restart([first, second]);
  const expected = { tenant_id: tenant.id, lost_size: second?.size, from_size: first?.size, branch: 1 };
  expect({ restored, code }).toEqual({ restored: [expected], code: 1 });
  expect(stderr).toContain(`tenant ${tenant.id}: replaced a stored restoration that does not follow from these lines`);
  expect(await restart([first, second])).toMatchObject({ restored: [expected], stderr: '', code: 0 });
  await sealing.seal(tenant.id, CLOSED);
  expect(linesOf(tenant, STATED)).toEqual([expect.objectContaining(expected)]);
});

test('an attacker cannot mark a log as restored if the log has lost no checkpoint', async () => {
  const tenant = await makeTenant(stack);
  await sealing.seal(tenant.id);
  const [line] = linesOf(tenant);
  await headOf(tenant).update({ restoring: { lost: line?.checkpoint, seals: 0, branch: 1 } });
  expect(await restart(linesOf(tenant))).toMatchObject({ restored: [], summary: { unchanged: 1 }, code: 1 });
  expect(await sealed(tenant)).toEqual({ failed: false, statements: [] });
});

test('an attacker who stores a false restoration after restart-logs is detected: the signed statement differs from the output of restart-logs', async () => {
  const { tenant, kept } = await makeRestored();
  const { restored } = await restart(linesOf(tenant));
  await headOf(tenant).update({ restoring: { lost: kept, seals: 0, branch: 1 } });
  await sealing.seal(tenant.id, CLOSED);
  const [stated] = linesOf(tenant, STATED);
  expect(stated).toMatchObject({ tenant_id: tenant.id, lost_size: restored[0].lost_size, from_size: 0, branch: 1 });
  expect(restored[0].from_size).toBeGreaterThan(0);
});

test('restart-logs rejects malformed lines and checkpoints that the log’s key has not signed, and continues with the other lines', async () => {
  const { tenant } = await makeRestored();
  const [first, second, third] = linesOf(tenant);
  const forged = { ...third, checkpoint: String(second?.checkpoint).replace(/\n\d+\n/, '\n999\n') };
  const malformed = { ...third, index: -1 };
  const { summary, stderr, code } = await restart([first, second, forged, malformed, { message: 'request answered' }]);
  expect({ summary, code }).toMatchObject({ summary: { checkpoints: 3, restored: 1 }, code: 1 });
  expect(stderr.split('\n')).toEqual([
    'restart-logs: entry 4 is malformed: index',
    `restart-logs: tenant ${tenant.id}: checkpoint 2 was rejected (invalid signature)`,
    '',
  ]);
  await sealing.seal(tenant.id, CLOSED);
  const [statement = ''] = await restorationsOf(tenant.console);
  expect(openRestoration(statement, await logKeyOf(tenant.console))).toMatchObject({
    restoration: { lost: { size: second?.size } },
  });
});

test('restart-logs counts the tenants that are in its input but not in the restored database', async () => {
  const { tenant } = await makeRestored();
  await store.doc(`tenants/${tenant.id}`).delete();
  expect(await restart(linesOf(tenant))).toMatchObject({ summary: { gone: 1, restored: 0 }, code: 0 });
});

test('restart-logs exits with 2 if its input is not a log', async () => {
  expect(await restart([], () => '[{"jsonPayload":')).toEqual({
    restored: [],
    summary: undefined,
    stderr: 'restart-logs: -: the array is not JSON\n',
    code: 2,
  });
});
