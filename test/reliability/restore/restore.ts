import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { z } from 'zod';
import { PROJECT_ID } from '../../../emulators/base/repository.ts';
import { Exports } from '../../../emulators/firestore/exports.ts';
import { portsFrom } from '../../../emulators/stack/ports.ts';
import { leasePorts } from '../../../emulators/stack/separate.ts';
import { allConfigured, EVERYTHING } from '../../../emulators/stack/service-environment.ts';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { makeInstant, viewInstant } from '../../../shared/base/clock.ts';
import { type Month, monthOf, monthStart } from '../../../shared/base/month.ts';
import { ROOT } from '../../sources.ts';
import { closeMonth, type Invoice, invoicesOf } from '../../support/billing.ts';
import { type Addresses, list, outcome, text } from '../../support/client.ts';
import { keyObject, read } from '../../support/objects.ts';
import { operate } from '../../support/operations.ts';
import { DAY_MS, destroyDueKeys, HOUR_MS, MINUTE_MS, sealAudit, setClock } from '../../support/steer.ts';
import { makeTenant, signIn, type Tenant } from '../../support/tenant.ts';
import { type KnownKey, Ledger } from '../ledger.ts';
import { CHANGES, makeKey } from './changes.ts';

/**
 * The findings of `check-store` that are allowed after a restore. They are about key material that belongs to no stored
 * key, or that the KMS will destroy or has destroyed.
 */
const LEFT_OVER = ['crypto-key-unknown', 'version-scheduled', 'version-destroyed'];

/** The findings about key versions that cannot be used. */
const UNUSABLE = /^version-(destroyed|scheduled|missing|disabled)$/;

/** Matches a table row which shows that changes of one kind were made again. */
const APPLIED = /^\S.* [1-9]\d*(?: +\d+){3}$/m;

/**
 * npm run drill -- restore: tenants use the service for a day after a backup of the store was made. Then the store is
 * lost, while the KMS and Stripe keep their state. The drill restores the store twice as in docs/restore.md: from a
 * backup that was made a day before the loss, and from one that was made a minute before the loss. Prints what was
 * restored and what no longer decrypts. Fails if a promise is broken.
 */
export async function drill(): Promise<void> {
  // The stacks of the drill inherit this setting.
  process.env.RATE_LIMIT = 'off';
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const work = mkdtempSync(join(tmpdir(), 'drill-restore-'));
  const { port, release } = await leasePorts();
  try {
    const atLoss = await runUntilLoss(work, port, say);
    const { dayBefore, minuteBefore } = atLoss.backups;
    for (const [backup, destroys] of [
      [dayBefore, false],
      [minuteBefore, true],
    ] as const) {
      const { redone, found, undecryptable, outcomes } = await restore(atLoss, backup, { destroys });
      say(`\nRestored from ${backup.name}\n\noperator/after-restore.ts: ${redone}`);
      say('operator/check-store.ts --adopt found:');
      for (const [kind, count] of found) say(`  ${count} ${kind}`);
      say('The versions whose ciphertext no longer decrypts, and the answers:');
      for (const version of undecryptable) say(`  ${version}`);
      for (const [promise, flaws] of outcomes) {
        say(`${flaws.length === 0 ? 'OK' : 'BROKEN'}: ${promise}`);
        for (const flaw of new Set(flaws)) say(`  ${flaw}`);
        if (flaws.length > 0) process.exitCode = 1;
      }
    }
    rmSync(work, { recursive: true });
  } catch (error) {
    say(`The drill could not finish. ${work} has the logs of the service.`);
    throw error;
  } finally {
    release();
  }
}

/** A backup of the store, with its time (`snapshotTime`). */
interface Backup {
  readonly name: string;
  readonly time: string;
  readonly folder: string;
}

/** Everything that is known when the store is lost. The restore starts from here. */
export type StateAtLoss = Awaited<ReturnType<typeof runUntilLoss>>;

/**
 * Lets two tenants use a stack until its store is lost. There are two backups. The first tenant makes all its changes
 * between them, and the second tenant after both. All times are in the past, so that the operator's programs can use
 * the real clock.
 */
export async function runUntilLoss(work: string, port: number, say: (line: string) => void) {
  const [stackDir, home] = [join(work, 'data'), join(work, 'tenants')];
  const stack = { baseUrl: `http://127.0.0.1:${port}`, controlUrl: `http://127.0.0.1:${portsFrom(port).control}` };
  const began = Date.now();
  const moveTo = (at: number) => setClock(stack, new Date(at).toISOString());
  const hoursAgo = (hours: number) => moveTo(began - hours * HOUR_MS);
  const ledger = new Ledger();
  const running = await startStack({ ...EVERYTHING, port, dir: stackDir });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(running.stop);
  const backUp = async (name: string): Promise<Backup> => {
    const backup = { name, folder: join(work, name), time: viewInstant(makeInstant(Date.now() * 1000)) };
    await new Exports(backup.folder, `127.0.0.1:${portsFrom(port).firestore}`, PROJECT_ID).save();
    say(`a backup was made: ${name}`);
    return backup;
  };

  // The tenants are created three months before this month, and the first month is closed after it has ended.
  const before = (month: Month) => monthOf(makeInstant(monthStart(month) - 1));
  const second = before(before(monthOf(makeInstant(began * 1000))));
  const since = before(second);
  await moveTo(monthStart(since) / 1000 + 9 * DAY_MS);
  const tenants = [await makeTenant(stack), await makeTenant(stack)] as const;
  for (const tenant of tenants) {
    for (const tier of ['wrapped', 'hsm'] as const) await makeKey(tenant, ledger, tier);
  }
  await moveTo(monthStart(second) / 1000 + HOUR_MS);
  await closeAll(stack);

  await hoursAgo(26);
  const prepared = [await prepare(tenants[0], ledger), await prepare(tenants[1], ledger)] as const;
  await hoursAgo(25);
  await sealAudit(stack);
  const dayBefore = await backUp('a day before the loss');

  const sealAndVerify = async () => {
    await sealAudit(stack);
    for (const tenant of tenants) {
      const result = await verifyLog(stack, tenant, home);
      if (result !== '0') throw new Error(`esk audit verify before the loss: ${result}`);
    }
  };
  await hoursAgo(20);
  await closeAll(stack);
  const first = { ...(await make(prepared[0])), missing: [dayBefore] };
  await hoursAgo(18);
  await destroyDueKeys(stack);
  await sealAndVerify();
  const minuteBefore = await backUp('a minute before the loss');

  await hoursAgo(17);
  const last = { ...(await make(prepared[1])), missing: [dayBefore, minuteBefore] };
  await hoursAgo(16);
  await sealAndVerify();
  const invoices = new Map<string, readonly Invoice[]>();
  for (const { id } of tenants) {
    const found = await invoicesOf(stack, id);
    if (found.length < 2) throw new Error('fewer than two months were invoiced');
    invoices.set(id, found);
  }
  // The key versions that could decrypt before the loss.
  const enabled = await enabledVersions(ledger);
  say('the store is lost');
  const backups = { dayBefore, minuteBefore };
  return { stack, port, home, stackDir, ledger, enabled, tenants: [first, last], since, invoices, backups };
}

/** Closes all months that have ended, in several runs if necessary. */
async function closeAll(stack: Addresses): Promise<void> {
  for (;;) {
    const { closed, failed } = await closeMonth(stack);
    if (failed > 0) throw new Error(`close-month failed for ${failed} tenants`);
    if (closed === 0) return;
  }
}

async function prepare(tenant: Tenant, ledger: Ledger) {
  const changes = Array.fromAsync(CHANGES, async ({ before, ...one }) => ({
    ...one,
    change: await before(tenant, ledger),
  }));
  return { tenant, changes: await changes };
}

async function make({ tenant, changes }: Awaited<ReturnType<typeof prepare>>) {
  const made = Array.fromAsync(changes, async ({ change, ...one }) => ({ ...one, check: await change() }));
  return { tenant, changes: await made };
}

/** Returns a text that identifies a version of a key, so that versions can be compared. */
function nameVersion(keyId: string, version: number): string {
  return `key ${keyId}, version ${version}`;
}

function versionsOf({ id, kept }: KnownKey): string[] {
  return kept.map(({ version }) => nameVersion(id, version));
}

/** Returns the versions that the service shows as enabled. With these versions, the service must decrypt. */
async function enabledVersions({ keys }: Ledger): Promise<string[]> {
  const found = keys.map(async (key) => {
    const answer = await key.by.send('GET', `/v1/keys/${key.id}`);
    if (answer.status === 404) return [];
    const enabled = read(keyObject, answer).versions.filter(({ state }) => state === 'enabled');
    const names = enabled.map(({ version }) => nameVersion(key.id, version));
    return versionsOf(key).filter((name) => names.includes(name));
  });
  return (await Promise.all(found)).flat();
}

/** The result for a ciphertext that decrypts to the right plaintext. */
const DECRYPTED = 'decrypted';

/** Decrypts the ciphertext of each version. Returns the result for each version: `DECRYPTED`, or the wrong answer. */
async function decryptAll({ keys }: Ledger): Promise<Map<string, string>> {
  const answers = keys.flatMap(({ id, by, kept }) =>
    kept.map(async ({ version, body, plaintext }) => {
      const answer = await operate(by, id, 'decrypt', body);
      const isRight = answer.status === 200 && text(answer, 'plaintext') === plaintext;
      return [nameVersion(id, version), isRight ? DECRYPTED : outcome(answer)] as const;
    }),
  );
  return new Map(await Promise.all(answers));
}

interface RestoreOptions {
  /** Whether the restore also destroys the keys that were destroyed after the backup. */
  readonly destroys: boolean;
  /**
   * A mistake of the operator that makes the drill fail. Either the operator forgets to run `after-restore`, or keys are
   * destroyed before `check-store` has adopted versions.
   */
  readonly forgets?: 'after-restore' | 'adopting first';
}

/**
 * Restores a backup as docs/restore.md describes. Then compares the restored service with what clients know. Returns
 * the flaws of each promise, the output of `after-restore`, the number of findings of `check-store --adopt` by kind, and
 * a line for each version whose ciphertext no longer decrypts.
 */
export async function restore(atLoss: StateAtLoss, backup: Backup, options: RestoreOptions) {
  const { port, stackDir } = atLoss;
  const promises = new Promises();
  const folder = `${backup.folder}, restored`;
  const [dir, home] = [join(folder, 'stack'), join(folder, 'tenants')];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  cpSync(atLoss.home, home, { recursive: true });
  // Copy everything except the store, because only the store is lost.
  cpSync(stackDir, dir, { recursive: true, filter: (path) => path !== join(stackDir, 'firestore') });
  cpSync(backup.folder, join(dir, 'firestore'), { recursive: true });

  const closed = await startStack({ ...EVERYTHING, port, dir, closed: true });
  const serviceLog = join(dir, 'service.log');
  const consistent = await makeConsistent(atLoss, backup, options, serviceLog, promises).finally(closed.stop);
  const { redone, lost, checked } = consistent;
  const open = await startStack({ ...EVERYTHING, port, dir });
  const restored = { backup, lost, home, promises, destroys: options.destroys };
  const undecryptable = await compare(atLoss, restored).finally(open.stop);
  const kinds = [...checked.findings.map(({ kind }) => kind), ...checked.adopted.map(({ kind }) => `${kind}, adopted`)];
  const found = new Map([...Map.groupBy(kinds, (kind) => kind)].map(([kind, same]) => [kind, same.length]));
  return { outcomes: promises.outcomes, redone, found, undecryptable };
}

/**
 * Follows docs/restore.md on a service that was restored and still refuses all callers. Returns the output of the
 * programs, and the lost key versions.
 */
async function makeConsistent(
  { stack, since, tenants, ledger }: StateAtLoss,
  { time }: Backup,
  { destroys, forgets }: RestoreOptions,
  serviceLog: string,
  promises: Promises,
) {
  for (const { tenant } of tenants) {
    const letIn = outcome(await tenant.api.send('GET', '/v1/keys'));
    promises.expectEqual('no caller is let in before the store is consistent', letIn, '503 unavailable');
  }
  const args = ['--since', time, '--service', stack.baseUrl, ...(destroys ? ['--destroy'] : []), serviceLog];
  const redone = forgets === 'after-restore' ? '' : await redo(stack, args, promises);
  if (forgets === 'adopting first') await destroyDueKeys(stack);
  const checked = readFindings(await runProgram(stack, 'check-store', '--adopt', '--json', '--since', since));
  promises.expect('restart-logs succeeds', failures(await runProgram(stack, 'restart-logs', serviceLog)));
  await sealAudit(stack);
  // The keys and versions that `after-restore` printed as lost.
  const printed = /^tenant \S+, key (\S+): (?:every version|version (\d+)), since \S+Z$/gm;
  const lost = new Set([
    ...[...redone.matchAll(printed)].flatMap(([, keyId = '', version]) =>
      version === undefined
        ? ledger.keys.filter(({ id }) => id === keyId).flatMap(versionsOf)
        : [nameVersion(keyId, Number(version))],
    ),
    ...checked.findings
      .filter(({ kind }) => UNUSABLE.test(kind))
      .map(({ about }) => nameVersion(String(about.key_id), Number(about.version))),
  ]);
  return { redone, checked, lost };
}

/**
 * Reapplies the changes that were made since the backup: first as a dry run, then really, then a second time, which
 * must change nothing. Returns what the real run printed.
 */
async function redo(stack: Addresses, args: readonly string[], promises: Promises): Promise<string> {
  const tried = await runProgram(stack, 'after-restore', '--dry-run', ...args);
  const ended = await runProgram(stack, 'after-restore', ...args);
  const again = await runProgram(stack, 'after-restore', ...args);
  promises.expect('after-restore makes every change since the backup again, exactly once', [
    ...[tried, ended, again].flatMap(failures),
    ...(tried.stdout === ended.stdout ? [] : ['the dry run shows different changes']),
    ...(APPLIED.test(ended.stdout) ? [] : ['no change was made']),
    ...(APPLIED.test(again.stdout) ? ['a second run makes a change'] : []),
  ]);
  return ended.stdout;
}

/** What is known when a restored service opens again. `home` has the profile and the checkpoint of each tenant. */
interface RestoredState {
  readonly backup: Backup;
  readonly destroys: boolean;
  /** The key versions that the operator's programs reported as lost. */
  readonly lost: ReadonlySet<string>;
  readonly home: string;
  readonly promises: Promises;
}

/**
 * Compares a restored service with what clients know. Returns a line for each version that does not decrypt, with the
 * answer.
 */
async function compare(atLoss: StateAtLoss, restored: RestoredState): Promise<string[]> {
  const { stack, since, invoices } = atLoss;
  const { promises, home, backup, destroys } = restored;
  const tenants = atLoss.tenants.map((one) => ({ ...one, isLost: one.missing.includes(backup) }));
  for (const { tenant, isLost } of tenants) {
    const verify = (...args: readonly string[]) => verifyLog(stack, tenant, home, ...args);
    const results = [await verify(), await verify('--acknowledge'), await verify()];
    const expected = isLost ? ['1 log_restored not_verified', '0 log_restored', '0'] : ['0', '0', '0'];
    promises.expectEqual('esk reports the loss of log entries until it is acknowledged', results, expected);
  }
  const checkAll = async (isLast: boolean) => {
    for (const { isLost, changes } of tenants) {
      for (const { promise, check } of changes.filter(({ isCheckedLast = false }) => isCheckedLast === isLast)) {
        promises.expectEqual(promise, ...(await check({ isLost, destroys })));
      }
    }
  };
  await checkAll(false);
  const undecryptable = await compareCiphertexts(atLoss, restored);
  await checkAll(true);
  await closeAll(stack);
  for (const { tenant } of tenants) {
    const known = invoices.get(tenant.id) ?? [];
    const found = await invoicesOf(stack, tenant.id);
    const months = found.map(({ period }) => period);
    promises.expectEqual('no month is invoiced twice', months, [...new Set(months)]);
    promises.expectEqual('no month is invoiced twice', found.slice(0, known.length), known);
  }
  const { findings } = readFindings(await runProgram(stack, 'check-store', '--json', '--since', since));
  promises.expect(
    'keys match the KMS, counts match audit rows, and months and standings match Stripe',
    findings.filter(({ kind }) => !LEFT_OVER.includes(kind)).map(({ kind, text }) => `${kind}: ${text}`),
  );
  await moveOn(stack, HOUR_MS + 5 * MINUTE_MS);
  const { sealed } = await sealAudit(stack);
  const again = 'audit logs can be sealed and verified again';
  promises.expect(again, sealed >= tenants.length ? [] : [`${sealed} logs were sealed`]);
  for (const { tenant } of tenants) promises.expectEqual(again, await verifyLog(stack, tenant, home), '0');
  return undecryptable;
}

/**
 * Lets tenants restore deleted keys, runs `destroy-due-keys`, and then decrypts all ciphertexts. Returns a line for
 * each version that does not decrypt.
 */
async function compareCiphertexts(atLoss: StateAtLoss, { lost, promises }: RestoredState): Promise<string[]> {
  const { stack, ledger, tenants, enabled } = atLoss;
  for (const { tenant } of tenants) {
    for (const { id, state } of list(await tenant.api.send('GET', '/v1/keys')))
      if (state === 'pending_deletion') await tenant.api.send('POST', `/v1/keys/${id}/restore`);
  }
  await moveOn(stack, HOUR_MS);
  promises.expectEqual('destroy-due-keys succeeds', (await destroyDueKeys(stack)).failed, 0);
  const answers = await decryptAll(ledger);
  const decryptable = [...new Set([...enabled, ...(await enabledVersions(ledger))])];
  const undecryptable = decryptable.filter((version) => answers.get(version) !== DECRYPTED);
  const withAnswer = (version: string) => `${version}: ${answers.get(version)}`;
  promises.expect(
    'every acknowledged ciphertext decrypts, unless its key version was reported as lost',
    undecryptable.filter((version) => !lost.has(version)).map(withAnswer),
  );
  promises.expect(
    'no ciphertext of a key version that was reported as lost decrypts',
    [...lost].filter((version) => answers.get(version) === DECRYPTED),
  );
  return undecryptable.map(withAnswer);
}

function moveOn(stack: Addresses, ms: number): Promise<void> {
  return setClock(stack, new Date(Date.now() + ms).toISOString());
}

/** Collects the flaws of each promise, in the order in which the promises were checked. */
class Promises {
  readonly outcomes = new Map<string, readonly string[]>();

  /** Notes the result of a check. `flaws` has a line for each thing that is wrong. */
  expect(promise: string, flaws: readonly string[]): void {
    this.outcomes.set(promise, [...(this.outcomes.get(promise) ?? []), ...flaws]);
  }

  expectEqual(promise: string, found: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
    this.expect(promise, is === should ? [] : [`found ${is}, expected ${should}`]);
  }
}

/** Runs a program in `operator/` as docs/restore.md describes, with the service's environment. */
function runProgram(stack: Addresses, name: string, ...args: readonly string[]) {
  return run([`operator/${name}.ts`, ...args], { PATH: process.env.PATH, ...allConfigured(stack) });
}

/**
 * Runs `esk audit verify` as a tenant's owner. The folder contains the owner's checkpoint and profile. Returns the exit
 * code and the codes of the findings.
 */
async function verifyLog(stack: Addresses, tenant: Tenant, folder: string, ...args: readonly string[]) {
  const home = join(folder, tenant.id);
  const { token: access_token } = await signIn(stack, tenant.subject);
  const nothing = { issuer: 'x', client_id: 'x', expires_at: null, refresh_token: null };
  mkdirSync(join(home, 'esk'), { recursive: true });
  writeFileSync(join(home, 'esk/profile.json'), JSON.stringify({ url: stack.baseUrl, access_token, ...nothing }));
  const program = ['client/bin/esk.js', 'audit', 'verify', '--checkpoint', join(home, 'log.checkpoint')];
  const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home };
  const { code, stderr } = await run([...program, ...args], env);
  const found = stderr.split('\n').flatMap((line) => /^esk: (\w+): /.exec(line)?.[1] ?? []);
  return [code, ...found].join(' ');
}

/** Runs a Node program. Returns its exit code and its output. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

type Ended = Awaited<ReturnType<typeof run>>;

function failures({ code, stderr }: Ended): string[] {
  return code === 0 ? [] : [`it ended with ${code}: ${stderr}`];
}

const finding = z.object({ kind: z.string(), about: z.record(z.string(), z.unknown()), text: z.string() });
const checked = z.object({
  parts: z.array(z.object({ findings: z.array(finding), adopted: z.array(finding) })),
});

/** Parses the output of `check-store --json`. */
function readFindings({ stdout, stderr }: Ended) {
  if (stdout === '') throw new Error(`check-store: ${stderr}`);
  const { parts } = checked.parse(JSON.parse(stdout));
  return { findings: parts.flatMap((part) => part.findings), adopted: parts.flatMap((part) => part.adopted) };
}
