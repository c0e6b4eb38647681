import { expect, test } from 'vitest';
import { makeId } from '../../../shared/base/ids.ts';
import { monthSchema } from '../../../shared/base/month.ts';
import type { ObjectCounts } from '../../../shared/tenancy/object-counts.ts';
import { slotAmongPaidKeys } from '../../../shared/tenancy/slots.ts';

const [OCTOBER, NOVEMBER] = [monthSchema.parse('2026-10'), monthSchema.parse('2026-11')];

function counts(paid_keys_month: ObjectCounts['paid_keys_month'], paid_keys_created: number): ObjectCounts {
  const none = { keys: 0, free_keys: 0, api_keys: 0, containers: 1, firewalls: 0 };
  return { tenant_id: makeId(), ...none, paid_keys_month, paid_keys_created, federation_bytes: 0 };
}

test.each([
  [null, 0, OCTOBER, false, OCTOBER, 1],
  [OCTOBER, 7, OCTOBER, false, OCTOBER, 8],
  [OCTOBER, 100_000, OCTOBER, true, OCTOBER, 100_001],
  [OCTOBER, 100_000, NOVEMBER, false, NOVEMBER, 1],
  // A process whose clock is behind does not set the count back.
  [NOVEMBER, 100_000, OCTOBER, true, NOVEMBER, 100_001],
])('after %s with %i paid keys, a creation in %s finds the limit reached: %s', (...row) => {
  const [counted, created, month, isFull, nextMonth, next] = row;
  const slot = slotAmongPaidKeys(month);
  const before = counts(counted, created);
  expect(slot.isFull(before)).toBe(isFull);
  expect(slot.take(before)).toEqual({ ...before, paid_keys_month: nextMonth, paid_keys_created: next });
});
