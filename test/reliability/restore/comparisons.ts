import { invoicesOf } from '../../support/billing.ts';
import { list } from '../../support/client.ts';
import { destroyDueKeys, HOUR_MS, MINUTE_MS, sealAudit, setClock } from '../../support/steer.ts';
import type { Promises } from '../soak/promises.ts';
import { type Backup, closeAll, type MadeChange, type StateAtLoss } from './before-loss.ts';
import { DECRYPTED } from './ciphertexts.ts';
import { readFindings, runProgram, verifyLog } from './operator.ts';

/** What is known when a restored service opens again. */
interface RestoredState {
  readonly backup: Backup;
  readonly destroys: boolean;
  /** The key versions that the operator's programs reported as lost. */
  readonly lost: ReadonlySet<string>;
  /** The folder in which each tenant keeps the profile and the checkpoint of `esk`. */
  readonly home: string;
  readonly promises: Promises;
}

/**
 * The findings of `check-store` that are allowed after a restore. They are about key material that belongs to no stored
 * key, or that the KMS will destroy or has destroyed.
 */
const LEFT_OVER = ['crypto-key-unknown', 'version-scheduled', 'version-destroyed'];

/**
 * Compares a restored service with what clients know. Returns a line for each version that does not decrypt, with the
 * answer.
 */
export async function compare(atLoss: StateAtLoss, restored: RestoredState): Promise<string[]> {
  const { stack, since } = atLoss;
  const { promises, home, backup, destroys } = restored;
  const tenants = atLoss.tenants.map((one) => ({ ...one, isLost: one.missing.includes(backup) }));
  const checkAll = async (made: readonly MadeChange[], isLost: boolean) => {
    for (const { promise, check } of made) expectEqual(promises, promise, ...(await check({ isLost, destroys })));
  };
  for (const { tenant, isLost } of tenants) {
    const verify = (...args: readonly string[]) => verifyLog(stack, tenant, home, ...args);
    const results = [await verify(), await verify('--acknowledge'), await verify()];
    const expected = isLost ? ['1 log_restored not_verified', '0 log_restored', '0'] : ['0', '0', '0'];
    expectEqual(promises, 'esk reports the loss of log entries until it is acknowledged', results, expected);
  }
  for (const { changes, isLost } of tenants) await checkAll(changes, isLost);
  const undecryptable = await compareCiphertexts(atLoss, restored);
  for (const { rotations, isLost } of tenants) await checkAll(rotations, isLost);
  await compareInvoices(atLoss, promises);
  const { findings } = readFindings(await runProgram(stack, 'check-store', '--json', '--since', since));
  promises.expect(
    'keys match the KMS, counts match audit rows, and months and standings match Stripe',
    findings.filter(({ kind }) => !LEFT_OVER.includes(kind)).map(({ kind, text }) => `${kind}: ${text}`),
  );
  await moveOn(stack, HOUR_MS + 5 * MINUTE_MS);
  const { sealed } = await sealAudit(stack);
  promises.expect(
    'audit logs can be sealed and verified again',
    sealed >= tenants.length ? [] : [`${sealed} logs were sealed`],
  );
  for (const { tenant } of tenants)
    expectEqual(promises, 'audit logs can be sealed and verified again', await verifyLog(stack, tenant, home), '0');
  return undecryptable;
}

/**
 * Lets tenants restore deleted keys, runs `destroy-due-keys`, and then decrypts all ciphertexts. Returns a line for
 * each version that does not decrypt.
 */
async function compareCiphertexts(atLoss: StateAtLoss, { lost, promises }: RestoredState): Promise<string[]> {
  const { stack, ciphertexts, tenants, enabled } = atLoss;
  for (const { tenant } of tenants) {
    for (const { id, state } of list(await tenant.api.send('GET', '/v1/keys')))
      if (state === 'pending_deletion') await tenant.api.send('POST', `/v1/keys/${id}/restore`);
  }
  await moveOn(stack, HOUR_MS);
  const { failed } = await destroyDueKeys(stack);
  promises.expect('destroy-due-keys succeeds', failed === 0 ? [] : [`it failed for ${failed} keys`]);
  const answers = await ciphertexts.decryptAll();
  const decryptable = [...new Set([...enabled, ...(await ciphertexts.enabled())])];
  const undecryptable = decryptable.filter((version) => answers.get(version) !== DECRYPTED);
  promises.expect(
    'every acknowledged ciphertext decrypts, unless its key version was reported as lost',
    undecryptable.filter((version) => !lost.has(version)).map((version) => `${version}: ${answers.get(version)}`),
    decryptable.length,
  );
  promises.expect(
    'no ciphertext of a key version that was reported as lost decrypts',
    [...lost].filter((version) => answers.get(version) === DECRYPTED),
    lost.size,
  );
  return undecryptable.map((version) => `${version}: ${answers.get(version)}`);
}

async function compareInvoices({ stack, tenants, invoices }: StateAtLoss, promises: Promises): Promise<void> {
  await closeAll(stack);
  for (const { tenant } of tenants) {
    const known = invoices.get(tenant.id) ?? [];
    const found = await invoicesOf(stack, tenant.id);
    const months = found.map(({ period }) => period);
    expectEqual(promises, 'no month is invoiced twice', months, [...new Set(months)]);
    expectEqual(promises, 'no month is invoiced twice', found.slice(0, known.length), known);
  }
}

function moveOn(stack: StateAtLoss['stack'], ms: number): Promise<void> {
  return setClock(stack, new Date(Date.now() + ms).toISOString());
}

function expectEqual(promises: Promises, promise: string, found: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
  promises.expect(promise, is === should ? [] : [`found ${is}, expected ${should}`]);
}
