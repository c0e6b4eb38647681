import { EVENTS_TO_SEAL, ROW_SHARDS } from '../../shared/audit/event.ts';
import { type Instant, MINUTE_US } from '../../shared/base/clock.ts';
import type { KeyId, TenantId } from '../../shared/base/ids.ts';
import { type Month, monthOf, monthStart } from '../../shared/base/month.ts';
import { DEADLINES_MS } from '../../shared/deadlines.ts';
import { addByKey, COUNTS_OF_TENANT } from '../../shared/metering/counter.ts';
import { METERED } from '../../shared/operations.ts';
import type { Store } from '../../shared/store/store.ts';
import { TENANTS_OF_ALL } from '../../shared/tenancy/tenant.ts';
import { checkEach, monthBefore, monthsFrom, Part } from './part.ts';
import type { CheckServices } from './services.ts';

/** The number of rows per query. A row has about 500 bytes. */
const ROWS_PER_PAGE = 1_000;

const COUNTED: ReadonlySet<string> = new Set(METERED);

/**
 * The service counts an operation in the month in which it checks the request, but the operation's row has the time at
 * which the operation ends. So an operation whose row is from the start of a month may be counted in the month before.
 */
const LONGEST_REQUEST_US = DEADLINES_MS.request * 1_000;

/** A row may be stored up to this long after the time that it contains. */
const SETTLED_AFTER_US = 2 * MINUTE_US;

/** The number of a key's rows in a month (`all`), and the range in which the key's count must be. */
interface Rows {
  all: number;
  least: number;
  most: number;
}

/** Checks that each key's count of operations in a month matches its audit rows. */
export async function checkOperations({ store, clock }: Pick<CheckServices, 'store' | 'clock'>, since: Month) {
  const part = new Part('Counts of operations against audit rows', { 'months of keys': 0, operations: 0, rows: 0 });
  await checkEach(store.pages(TENANTS_OF_ALL, { equal: [] }), async ({ id }) => {
    const now = clock.now();
    const months = monthsFrom(since, now);
    // Read the counts first. Every counted operation then has a row when the rows are read.
    const counts = new Map<Month, Map<KeyId, number>>();
    for (const month of months) counts.set(month, await readCounts(store, id, month));
    const rows = await readRows(store, id, since, now);
    for (const month of months) {
      const [counted, recorded] = [counts.get(month) ?? new Map(), rows.get(month) ?? new Map<KeyId, Rows>()];
      for (const key of new Set([...counted.keys(), ...recorded.keys()])) {
        const ops = counted.get(key) ?? 0;
        const { all, least, most } = recorded.get(key) ?? { all: 0, least: 0, most: 0 };
        part.count('months of keys');
        part.count('operations', ops);
        part.count('rows', all);
        if (least <= ops && ops <= most) continue;
        const about = { tenant_id: id, key_id: key, month, counted: ops, rows: all };
        const text = `tenant ${id}, key ${key}, ${month}: ${ops} operations are counted, but the audit log has ${all}`;
        part.findings.push({ kind: 'operations-differ', about, text });
      }
    }
  });
  return part;
}

async function readCounts(store: Store, tenantId: TenantId, month: Month): Promise<Map<KeyId, number>> {
  const sums = new Map<KeyId, number>();
  for await (const counts of store.pages(COUNTS_OF_TENANT, { equal: [tenantId, month] })) addByKey(sums, counts);
  return sums;
}

async function readRows(store: Store, tenantId: TenantId, since: Month, countedAt: Instant) {
  const months = new Map<Month, Map<KeyId, Rows>>();
  const rowsOf = (month: Month, key: KeyId): Rows => {
    const keys = months.get(month) ?? new Map<KeyId, Rows>();
    const rows = keys.get(key) ?? { all: 0, least: 0, most: 0 };
    months.set(month, keys.set(key, rows));
    return rows;
  };
  const values = { equal: [tenantId], anyOf: ROW_SHARDS, since: monthStart(since) };
  for await (const page of store.pages(EVENTS_TO_SEAL, values, ROWS_PER_PAGE)) {
    for (const { key_id, operation, result, ts } of page) {
      if (key_id === null || result !== 'success' || !COUNTED.has(operation)) continue;
      const month = monthOf(ts);
      const mayBeOfMonthBefore = ts - monthStart(month) < LONGEST_REQUEST_US;
      const rows = rowsOf(month, key_id);
      rows.all += 1;
      rows.most += 1;
      if (mayBeOfMonthBefore) rowsOf(monthBefore(month), key_id).most += 1;
      else if (ts < countedAt - SETTLED_AFTER_US) rows.least += 1;
    }
  }
  return months;
}
