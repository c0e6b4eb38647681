import { z } from 'zod';
import type { EncryptionService } from '../../../client/src/service.ts';
import type { Statement, UsageLine } from '../../../client/src/types.ts';
import type { Job } from '../../../emulators/base/service-hooks.ts';
import { type Invoice, invoicesOf } from '../../support/billing.ts';
import { checkLog } from '../../support/check-log.ts';
import { DAY_MS, MINUTE_MS } from '../../support/steer.ts';
import { Client } from '../../support/tenant.ts';
import { forEach } from './deadline.ts';
import { runJob } from './disturbances.ts';
import { compareDays } from './ledger.ts';
import { monthOf } from './moved-clock.ts';
import { decryptAll } from './operations.ts';
import type { Rig } from './rig.ts';
import { change, makeRandom } from './step.ts';
import type { SoakTenant } from './tenants.ts';

const CONCURRENT_TENANTS = 4;
/**
 * How far the clock moves forward before the check. It is more than the seven days after which a deleted key is
 * destroyed.
 */
const DUE_AFTER_MS = 8 * DAY_MS;
/** How far the clock moves forward before sealing, because rows younger than two minutes are not sealed. */
const SETTLED_AFTER_MS = 3 * MINUTE_MS;
const MAX_RUNS = 20;

/** The state of the run that the checks need. */
export interface Checked extends Rig {
  readonly tenants: readonly SoakTenant[];
  /** The month that ended during the run. */
  readonly ended: string;
}

/** Decrypts every value that the service should still be able to decrypt. */
export async function checkValues(checked: Checked): Promise<void> {
  const { tenants, promises } = checked;
  const random = makeRandom(0);
  await forEach(tenants, CONCURRENT_TENANTS, async (tenant) => {
    for (const key of tenant.keys) {
      const opened = await key.use(async () => {
        promises.kept('every kept value decrypts', await decryptAll({ ...checked, random, tenant }, key));
      });
      if (!opened) promises.kept('every kept value decrypts', 0);
    }
  });
}

/**
 * Deletes one key of every tenant and moves the clock forward by eight days. Then runs all scheduled functions until
 * they have no more work.
 */
export async function finishScheduledWork({
  service,
  clock,
  sender,
  people,
  tenants,
  promises,
}: Checked): Promise<void> {
  const deleted = new Map<SoakTenant, string>();
  await forEach(tenants, CONCURRENT_TENANTS, async (tenant) => {
    const key = tenant.keys.find(({ isUncertain }) => !isUncertain);
    if (key === undefined) return;
    await change(
      tenant,
      'delete_key',
      sender.call('changes of keys', tenant.owner, (asked) => asked.deleteKey(key.id)),
    );
    deleted.set(tenant, key.id);
  });
  await moveOn(DUE_AFTER_MS);
  await untilDone('destroy-due-keys');
  await untilDone('close-month');
  await moveOn(SETTLED_AFTER_MS);
  await untilDone('seal-audit');
  await forEach([...deleted], CONCURRENT_TENANTS, async ([tenant, id]) => {
    const read = await sender.call('reads of keys', tenant.owner, (asked) => asked.getKey(id), '404 not_found');
    promises.expect('deleted keys are destroyed after seven days', 'done' in read ? [`key ${id} still exists`] : []);
  });

  async function moveOn(ms: number): Promise<void> {
    await clock.set(clock.now() + ms);
    people.forget();
  }

  async function untilDone(job: Job): Promise<void> {
    const promise = 'scheduled functions finish their work';
    let did: unknown;
    for (let run = 0; run < MAX_RUNS; run++) {
      promises.kept(promise, 1);
      // A run may fail. As in a deployment, the next run then continues its work.
      did = await runJob(service, job).catch(String);
      const parsed = summary.safeParse(did);
      if (parsed.success && Object.values(parsed.data).every((count) => count === 0)) return;
    }
    promises.expect(promise, [`${job} after ${MAX_RUNS} runs: ${JSON.stringify(did)}`]);
  }
}

/** The summary of a scheduled function's run: how much work it did, and how much failed. */
const summary = z.record(z.string(), z.int());

/**
 * Compares the counts, audit rows, sealed logs and invoices of every tenant with the operations that were acknowledged.
 */
export async function checkRecords(checked: Checked): Promise<void> {
  const { tenants, service, promises } = checked;
  await forEach(tenants, CONCURRENT_TENANTS, async (tenant) => {
    const read = readerOf(checked, tenant);
    const usage = new Map<string, readonly UsageLine[]>();
    for (const period of [checked.ended, monthOf(checked.clock.now())]) {
      const lines = await read((asked) => asked.readUsage({ period }));
      const days = await read((asked) => asked.readUsageDaily({ period }));
      usage.set(period, lines);
      promises.expect('daily counts add up to monthly counts', compareDays(lines, days));
    }
    promises.expect(
      'every operation is counted exactly once',
      tenant.ledger.compareUsage(usage),
      tenant.ledger.acknowledged,
    );
    const rows = await read((asked) => Array.fromAsync(asked.readAudit({ limit: 1_000 })));
    promises.expect(
      'every operation and change has exactly one audit row',
      tenant.ledger.compareRows(rows),
      tenant.ledger.rows,
    );
    const token = 'person' in tenant.owner ? await tenant.owner.person() : undefined;
    const { findings, entries } = await checkLog(new Client(service, token));
    const missing = entries === rows.length ? [] : [`${entries} of ${rows.length} rows are sealed`];
    promises.expect(
      'sealed audit logs pass verification',
      [...findings.map(({ message }) => message), ...missing],
      entries,
    );
    const statement = await read((asked) => asked.readStatement({ period: checked.ended }));
    const invoices = (await invoicesOf(service, tenant.id)).filter(({ period }) => period === checked.ended);
    const billed = [
      ...compareStatement(statement, usage.get(checked.ended) ?? []),
      ...compareInvoices(statement, invoices),
    ];
    promises.expect('statements match the counts, and invoices match the statements', billed);
  });
}

type Read = <Answer>(work: (service: EncryptionService) => Promise<Answer>) => Promise<Answer>;

/** Returns a function that reads from the service as the tenant's owner. It throws an `Error` if a read is refused. */
function readerOf({ sender }: Checked, { owner }: SoakTenant): Read {
  return async (work) => {
    const read = await sender.call('audit log', owner, work);
    if ('done' in read) return read.done;
    throw new Error(`a check was refused with ${read.refused}`);
  };
}

function compareStatement({ lines }: Statement, usage: readonly UsageLine[]): string[] {
  const counted = new Map(usage.map(({ key_id, ops }) => [key_id, ops]));
  // A destroyed key that was never used is missing from the counts.
  const countOf = (keyId: string) => counted.get(keyId) ?? 0;
  const wrong = lines.filter(({ key_id, ops }) => ops !== countOf(key_id));
  return wrong.map(({ key_id, ops }) => `key ${key_id}: ${ops} on the statement, ${countOf(key_id)} counted`);
}

function compareInvoices({ total_cents }: Statement, invoices: readonly Invoice[]): string[] {
  const totals = invoices.map(({ total }) => String(total)).join(' and ');
  return totals === total_cents ? [] : [`a statement of ${total_cents} cents, and invoices of ${totals || 'nothing'}`];
}
