import { z } from 'zod';
import type { EncryptionService } from '../../../client/src/service.ts';
import type { Statement, UsageLine } from '../../../client/src/types.ts';
import type { Job } from '../../../emulators/base/service-hooks.ts';
import { type Invoice, invoicesOf } from '../../support/billing.ts';
import { checkLog } from '../../support/check-log.ts';
import { DAY_MS, MINUTE_MS } from '../../support/steer.ts';
import { Client } from '../../support/tenant.ts';
import { forEach } from './in-time.ts';
import { runJob } from './jobs.ts';
import { compareDays } from './ledger.ts';
import { monthOf } from './moved-clock.ts';
import { openAll } from './operations.ts';
import { makeRandom } from './random.ts';
import type { Rig } from './rig.ts';
import type { SoakTenant } from './tenants.ts';
import { change } from './visit.ts';

const TENANTS_AT_A_TIME = 4;
/** A deleted key is destroyed after seven days. */
const DUE_AFTER_MS = 8 * DAY_MS;
/** The service seals rows only after two minutes. */
const SETTLED_AFTER_MS = 3 * MINUTE_MS;
const RUNS_AT_MOST = 20;

export interface Checked extends Rig {
  readonly tenants: readonly SoakTenant[];
  /** The month that ended during the traffic. */
  readonly ended: string;
}

/** Decrypts every kept value of an enabled version. */
export async function checkValues(checked: Checked): Promise<void> {
  const { tenants, promises } = checked;
  const random = makeRandom(0);
  await forEach(tenants, TENANTS_AT_A_TIME, async (tenant) => {
    for (const key of tenant.keys) {
      const opened = await key.use(async () => {
        promises.kept('values open', await openAll({ ...checked, random, tenant }, key));
      });
      if (!opened) promises.kept('values open', 0);
    }
  });
}

/** Deletes a key of every tenant, waits eight days, and runs the scheduled functions until they are done. */
export async function letTimePass({ service, clock, sender, people, tenants, promises }: Checked): Promise<void> {
  const deleted = new Map<SoakTenant, string>();
  await forEach(tenants, TENANTS_AT_A_TIME, async (tenant) => {
    const key = tenant.keys.find(({ isLost }) => !isLost);
    if (key === undefined) return;
    await change(
      tenant,
      'delete_key',
      sender.call('changes of keys', tenant.owner, (api) => api.deleteKey(key.id)),
    );
    deleted.set(tenant, key.id);
  });
  await moveOn(DUE_AFTER_MS);
  await untilDone('destroy-due-keys');
  await untilDone('close-month');
  await moveOn(SETTLED_AFTER_MS);
  await untilDone('seal-audit');
  await forEach([...deleted], TENANTS_AT_A_TIME, async ([tenant, id]) => {
    const read = await sender.call('reads of keys', tenant.owner, (api) => api.getKey(id), '404 not_found');
    promises.expect('keys are destroyed when they are due', 'done' in read ? [`key ${id} is still there`] : []);
  });

  async function moveOn(ms: number): Promise<void> {
    await clock.set(clock.now() + ms);
    people.forget();
  }

  async function untilDone(job: Job): Promise<void> {
    const promise = 'scheduled functions end their work';
    let did: unknown;
    for (let run = 0; run < RUNS_AT_MOST; run++) {
      promises.kept(promise, 1);
      // In a deployment, too, the next run continues after a failed run.
      did = await runJob(service, job).catch(String);
      const parsed = summary.safeParse(did);
      if (parsed.success && Object.values(parsed.data).every((count) => count === 0)) return;
    }
    promises.expect(promise, [`${job} after ${RUNS_AT_MOST} runs: ${JSON.stringify(did)}`]);
  }
}

/** The summary of a run: what it did, and what failed. */
const summary = z.record(z.string(), z.int());

/** Compares counts, rows, logs and invoices of every tenant with what was acknowledged. */
export async function checkBooks(checked: Checked): Promise<void> {
  const { tenants, service, promises } = checked;
  await forEach(tenants, TENANTS_AT_A_TIME, async (tenant) => {
    const read = readerOf(checked, tenant);
    const usage = new Map<string, readonly UsageLine[]>();
    for (const period of [checked.ended, monthOf(checked.clock.now())]) {
      const lines = await read((api) => api.readUsage({ period }));
      const days = await read((api) => api.readUsageDaily({ period }));
      usage.set(period, lines);
      promises.expect('days add up to months', compareDays(lines, days));
    }
    promises.expect('operations are counted once', tenant.ledger.compareUsage(usage), tenant.ledger.acknowledged);
    const rows = await read((api) => Array.fromAsync(api.readAudit({ limit: 1_000 })));
    promises.expect('operations and changes are recorded once', tenant.ledger.compareRows(rows), tenant.ledger.rows);
    const token = 'person' in tenant.owner ? await tenant.owner.person() : undefined;
    const { findings, entries } = await checkLog(new Client(service, token));
    const missing = entries === rows.length ? [] : [`${entries} of ${rows.length} rows are sealed`];
    promises.expect('sealed logs verify', [...findings.map(({ message }) => message), ...missing], entries);
    const statement = await read((api) => api.readStatement({ period: checked.ended }));
    const invoices = (await invoicesOf(service, tenant.id)).filter(({ period }) => period === checked.ended);
    const billed = [
      ...compareStatement(statement, usage.get(checked.ended) ?? []),
      ...compareInvoices(statement, invoices),
    ];
    promises.expect('statements equal the counts, and invoices the statements', billed);
  });
}

type Read = <Answer>(work: (service: EncryptionService) => Promise<Answer>) => Promise<Answer>;

/** Throws an `Error` if a read is refused. */
function readerOf({ sender }: Checked, { owner }: SoakTenant): Read {
  return async (work) => {
    const read = await sender.call('audit log', owner, work);
    if ('done' in read) return read.done;
    throw new Error(`a check was refused with ${read.refused}`);
  };
}

function compareStatement({ lines }: Statement, usage: readonly UsageLine[]): string[] {
  const counted = new Map(usage.map(({ key_id, ops }) => [key_id, ops]));
  // A destroyed key without operations has no count.
  const countOf = (keyId: string) => counted.get(keyId) ?? 0;
  const wrong = lines.filter(({ key_id, ops }) => ops !== countOf(key_id));
  return wrong.map(({ key_id, ops }) => `key ${key_id}: ${ops} on the statement, ${countOf(key_id)} counted`);
}

function compareInvoices({ total_cents }: Statement, invoices: readonly Invoice[]): string[] {
  const totals = invoices.map(({ total }) => String(total)).join(' and ');
  return totals === total_cents ? [] : [`a statement of ${total_cents} cents, and invoices of ${totals || 'nothing'}`];
}
