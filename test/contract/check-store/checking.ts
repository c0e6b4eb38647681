import type { Firestore } from '@google-cloud/firestore';
import { allConfigured } from '../../../emulators/stack/service-environment.ts';
import { makeMovableClock } from '../../../functions/local/movable-clock.ts';
import { type CheckOptions, checkStore } from '../../../operator/checks/check-store.ts';
import type { Finding, Part } from '../../../operator/checks/part.ts';
import { type CheckServices, openCheckServices } from '../../../operator/checks/services.ts';
import { makeClock } from '../../../shared/base/clock.ts';
import { parseMonth } from '../../../shared/base/month.ts';
import { readConfig } from '../../../shared/config.ts';
import type { Addresses } from '../../support/client.ts';
import type { Tenant } from '../../support/tenant.ts';

/** A limit on Firestore reads that is too high to delay a test. */
const READS_PER_MINUTE = 100_000;

export type Checking = ReturnType<typeof openChecking>;

const checkAll = (services: CheckServices, options: CheckOptions): Promise<Part[]> =>
  Array.fromAsync(checkStore(services, options));

export function openChecking(stack: Addresses, check = checkAll) {
  const settings = allConfigured(stack);
  const clock = makeMovableClock(makeClock());
  const services = { ...openCheckServices(readConfig(settings), settings, READS_PER_MINUTE), clock };
  /** Months before `since` are not checked. */
  const run = async ({ adopt = false, since = '2026-10' } = {}) => {
    const month = parseMonth(since);
    if (month === undefined) throw new Error(`${since} is not a month`);
    return check(services, { since: month, adopt });
  };
  return {
    run,
    async kindsOf(tenant: Tenant, options?: Parameters<typeof run>[0]) {
      const parts = await run(options);
      const adopted = parts.flatMap((part) => part.adopted).filter((one) => isAbout(one, tenant));
      return [...findingsAbout(parts, tenant).map(({ kind }) => kind), ...adopted.map(({ kind }) => `adopted ${kind}`)];
    },
    setClock: (now: string) => clock.move((Date.parse(now) - Date.now()) * 1000),
  };
}

export function findingsAbout(parts: readonly Part[], tenant: Tenant): Finding[] {
  return parts.flatMap(({ findings }) => findings).filter((one) => isAbout(one, tenant));
}

function isAbout({ about }: Finding, { id }: Tenant): boolean {
  return about.tenant_id === id;
}

/** Saves the documents at `paths`. Returns a function that restores them, and deletes any that did not exist. */
export async function backUp(db: Firestore, ...paths: readonly string[]): Promise<() => Promise<void>> {
  const saved = await db.getAll(...paths.map((path) => db.doc(path)));
  return async () => {
    for (const one of saved) await (one.exists ? one.ref.set(one.data() ?? {}) : one.ref.delete());
  };
}
