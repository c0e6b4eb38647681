import { join } from 'node:path';
import { PROJECT_ID } from '../../../emulators/base/repository.ts';
import { Exports } from '../../../emulators/firestore/exports.ts';
import { portsFrom } from '../../../emulators/stack/ports.ts';
import { startStack } from '../../../emulators/stack/start-stack.ts';
import { makeInstant, viewInstant } from '../../../shared/base/clock.ts';
import { type Month, monthOf, monthStart } from '../../../shared/base/month.ts';
import { closeMonth, type Invoice, invoicesOf } from '../../support/billing.ts';
import type { Addresses } from '../../support/client.ts';
import { DAY_MS, destroyDueKeys, HOUR_MS, sealAudit, setClock } from '../../support/steer.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { CHANGES, type Change, ROTATIONS } from './changes.ts';
import { Ciphertexts } from './ciphertexts.ts';
import { verifyLog } from './operator.ts';

export const FLAVOUR = { billing: true, console: true, wrappedRoot: true, transit: true };

/** A backup of the store. */
export interface Backup {
  readonly name: string;
  /** The time of the backup (`snapshotTime`). */
  readonly time: string;
  readonly folder: string;
}

type Prepared = Awaited<ReturnType<Change['before']>>;
/** A change that a tenant has made, and a check of this change on the restored service. */
export interface MadeChange {
  readonly promise: string;
  readonly check: Awaited<ReturnType<Prepared>>;
}

/** A tenant, and the changes that it made after a backup. */
export interface TenantChanges {
  readonly tenant: Tenant;
  readonly changes: readonly MadeChange[];
  readonly rotations: readonly MadeChange[];
  /** The backups that lack the changes. */
  readonly missing: readonly Backup[];
}

/** Everything that is known when the store is lost. The restore starts from here. */
export interface StateAtLoss {
  readonly stack: Addresses;
  readonly port: number;
  /** The folder in which each tenant keeps the profile and the checkpoint of `esk`. */
  readonly home: string;
  /** The data folder of the stack. It contains the state of the KMS and of Stripe, and the service's log. */
  readonly stackDir: string;
  readonly ciphertexts: Ciphertexts;
  /** The key versions that could decrypt before the loss. */
  readonly enabled: ReadonlySet<string>;
  readonly tenants: readonly TenantChanges[];
  /** The month in which the tenants were created. */
  readonly since: Month;
  /** The invoices of each tenant before the loss, by tenant id. */
  readonly invoices: ReadonlyMap<string, readonly Invoice[]>;
  readonly backups: { readonly dayBefore: Backup; readonly minuteBefore: Backup };
}

/**
 * Lets two tenants use a stack until its store is lost. There are two backups. The first tenant makes all its changes
 * between them, and the second tenant after both. All times are in the past, so that the operator's programs can use
 * the real clock.
 */
export async function runUntilLoss(work: string, port: number, say: (line: string) => void): Promise<StateAtLoss> {
  const [stackDir, home] = [join(work, 'data'), join(work, 'tenants')];
  const stack = { baseUrl: `http://127.0.0.1:${port}`, controlUrl: `http://127.0.0.1:${portsFrom(port).control}` };
  const began = Date.now();
  const moveTo = (at: number) => setClock(stack, new Date(at).toISOString());
  const hoursAgo = (hours: number) => moveTo(began - hours * HOUR_MS);
  const months = monthsBefore(began);
  const ciphertexts = new Ciphertexts();
  const running = await startStack({ ...FLAVOUR, port, dir: stackDir });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(running.stop);

  const backUp = async (name: string): Promise<Backup> => {
    const backup = { name, folder: join(work, name), time: viewInstant(makeInstant(Date.now() * 1000)) };
    await new Exports(backup.folder, `127.0.0.1:${portsFrom(port).firestore}`, PROJECT_ID).save();
    say(`a backup was made: ${name}`);
    return backup;
  };

  await moveTo(monthStart(months.first) / 1000 + 9 * DAY_MS);
  const tenants = [await makeTenant(stack), await makeTenant(stack)] as const;
  for (const tenant of tenants) {
    for (const tier of ['wrapped', 'hsm'] as const) await ciphertexts.add(tenant.api, await tenant.createKey(tier));
  }
  await moveTo(monthStart(months.second) / 1000 + HOUR_MS);
  await closeAll(stack);
  await hoursAgo(26);
  const prepared = [await prepare(tenants[0], ciphertexts), await prepare(tenants[1], ciphertexts)] as const;
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
  const second = { ...(await make(prepared[1])), missing: [dayBefore, minuteBefore] };
  await hoursAgo(16);
  await sealAndVerify();
  const invoices = new Map<string, readonly Invoice[]>();
  for (const { id } of tenants) {
    const found = await invoicesOf(stack, id);
    if (found.length < 2) throw new Error('fewer than two months were invoiced');
    invoices.set(id, found);
  }
  const enabled = await ciphertexts.enabled();
  say('the store is lost');
  const backups = { dayBefore, minuteBefore };
  const known = { ciphertexts, enabled, tenants: [first, second], since: months.first, invoices };
  return { stack, port, home, stackDir, ...known, backups };
}

/** Closes all months that have ended, in several runs if necessary. */
export async function closeAll(stack: Addresses): Promise<void> {
  for (;;) {
    const { closed, failed } = await closeMonth(stack);
    if (failed > 0) throw new Error(`close-month failed for ${failed} tenants`);
    if (closed === 0) return;
  }
}

/** Returns two past months: `first` is three months before the current month, and `second` is two months before it. */
function monthsBefore(now: number): { first: Month; second: Month } {
  const before = (month: Month) => monthOf(makeInstant(monthStart(month) - 1));
  const second = before(before(monthOf(makeInstant(now * 1000))));
  return { first: before(second), second };
}

async function prepare(tenant: Tenant, ciphertexts: Ciphertexts) {
  const before = async (changes: readonly Change[]) => {
    const prepared: { promise: string; change: Prepared }[] = [];
    for (const { promise, before } of changes) prepared.push({ promise, change: await before(tenant, ciphertexts) });
    return prepared;
  };
  return { tenant, changes: await before(CHANGES), rotations: await before(ROTATIONS) };
}

async function make({ tenant, changes, rotations }: Awaited<ReturnType<typeof prepare>>) {
  const make = async (prepared: typeof changes) => {
    const made: MadeChange[] = [];
    for (const { promise, change } of prepared) made.push({ promise, check: await change() });
    return made;
  };
  return { tenant, changes: await make(changes), rotations: await make(rotations) };
}
