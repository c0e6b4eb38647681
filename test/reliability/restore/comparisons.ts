import { invoicesOf } from '../../support/billing.ts';
import { list } from '../../support/client.ts';
import { destroyDueKeys, HOUR_MS, MINUTE_MS, sealAudit, setClock } from '../../support/steer.ts';
import type { Promises } from '../soak/promises.ts';
import { OPENED } from './ciphertexts.ts';
import { type Backup, closeAll, type Life, type Made } from './life.ts';
import { readFindings, runProgram, verifyLog } from './operator.ts';

/** What is known when a restored service opens again. */
interface Comparing {
  readonly backup: Backup;
  readonly destroys: boolean;
  /** The versions that the operator's programs reported as lost. */
  readonly lost: ReadonlySet<string>;
  /** The folder in which each tenant keeps the profile and the checkpoint of `esk`. */
  readonly home: string;
  readonly promises: Promises;
}

/**
 * The findings of `check-store` that are allowed after a restore. They are about key material that no key uses, and
 * that the KMS will destroy.
 */
const LEFT_OVER = ['crypto-key-unknown', 'version-scheduled', 'version-destroyed'];

/**
 * Compares a restored service with what clients know. Returns a line for each version that does not decrypt, with the
 * answer.
 */
export async function compare(life: Life, comparing: Comparing): Promise<string[]> {
  const { stack, since } = life;
  const { promises, home, backup, destroys } = comparing;
  const tenants = life.tenants.map((one) => ({ ...one, isLost: one.missing.includes(backup) }));
  const look = async (made: readonly Made[], isLost: boolean) => {
    for (const { promise, look } of made) expectEqual(promises, promise, ...(await look({ isLost, destroys })));
  };
  for (const { tenant, isLost } of tenants) {
    const verify = (...args: readonly string[]) => verifyLog(stack, tenant, home, ...args);
    const results = [await verify(), await verify('--acknowledge'), await verify()];
    const expected = [isLost ? '1 log_restored not_verified' : '0', '0', '0'];
    expectEqual(promises, 'what a log lost is reported until it is acknowledged', results, expected);
  }
  for (const { changes, isLost } of tenants) await look(changes, isLost);
  const unopened = await compareCiphertexts(life, comparing);
  for (const { rotations, isLost } of tenants) await look(rotations, isLost);
  await compareInvoices(life, promises);
  const { findings } = readFindings(await runProgram(stack, 'check-store', '--json', '--since', since));
  promises.expect(
    'keys are as in the KMS, counts as their rows, months and standings as at Stripe',
    findings.filter(({ kind }) => !LEFT_OVER.includes(kind)).map(({ kind, text }) => `${kind}: ${text}`),
  );
  await moveOn(stack, HOUR_MS + 5 * MINUTE_MS);
  const { sealed } = await sealAudit(stack);
  promises.expect('logs grow', sealed >= tenants.length ? [] : [`${sealed} logs were sealed`]);
  for (const { tenant } of tenants) expectEqual(promises, 'logs grow', await verifyLog(stack, tenant, home), '0');
  return unopened;
}

/**
 * Lets tenants restore deleted keys, runs `destroy-due-keys`, and then decrypts all ciphertexts. Returns a line for
 * each version that does not decrypt.
 */
async function compareCiphertexts(life: Life, { lost, promises }: Comparing): Promise<string[]> {
  const { stack, ciphertexts, tenants, enabled } = life;
  for (const { tenant } of tenants) {
    for (const { id, state } of list(await tenant.api.send('GET', '/v1/keys')))
      if (state === 'pending_deletion') await tenant.api.send('POST', `/v1/keys/${id}/restore`);
  }
  await moveOn(stack, HOUR_MS);
  const { failed } = await destroyDueKeys(stack);
  promises.expect('destroy-due-keys goes on', failed === 0 ? [] : [`it failed for ${failed} keys`]);
  const answers = await ciphertexts.open();
  const due = [...new Set([...enabled, ...(await ciphertexts.enabled())])];
  const unopened = due.filter((version) => answers.get(version) !== OPENED);
  promises.expect(
    'every acknowledged ciphertext opens, except those that the operator was told of',
    unopened.filter((version) => !lost.has(version)).map((version) => `${version}: ${answers.get(version)}`),
    due.length,
  );
  promises.expect(
    'what the operator was told of does not open',
    [...lost].filter((version) => answers.get(version) === OPENED),
    lost.size,
  );
  return unopened.map((version) => `${version}: ${answers.get(version)}`);
}

async function compareInvoices({ stack, tenants, invoices }: Life, promises: Promises): Promise<void> {
  await closeAll(stack);
  for (const { tenant } of tenants) {
    const known = invoices.get(tenant.id) ?? [];
    const found = await invoicesOf(stack, tenant.id);
    const months = found.map(({ period }) => period);
    expectEqual(promises, 'no month is invoiced twice', months, [...new Set(months)]);
    expectEqual(promises, 'no month is invoiced twice', found.slice(0, known.length), known);
  }
}

function moveOn(stack: Life['stack'], ms: number): Promise<void> {
  return setClock(stack, new Date(Date.now() + ms).toISOString());
}

function expectEqual(promises: Promises, promise: string, found: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
  promises.expect(promise, is === should ? [] : [`found ${is}, expected ${should}`]);
}
