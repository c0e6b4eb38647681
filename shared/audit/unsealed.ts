import { z } from 'zod';
import { type Instant, MINUTE_US, makeInstant, SECOND_US } from '../base/clock.ts';
import { idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Writes } from '../store/writes.ts';

/** How long a mark is for, in microseconds. */
const SPAN_US = 10 * MINUTE_US;

const unsealed = z.object({
  tenant_id: idSchema<TenantId>(),
  /** The start of the ten minutes in which the tenant has rows. */
  since: instantField,
});

/** A mark that a tenant has audit rows within some ten minutes. */
export type Unsealed = z.output<typeof unsealed>;

/**
 * `unsealed/{tenant id}_{seconds since the epoch}_{process}`: the tenants that have rows to seal. A process leaves a mark with
 * its first row of a tenant in each ten minutes; it goes once all of that time is sealed.
 */
export const UNSEALED = collection('unsealed', unsealed);

/** The marks, the oldest first. */
export const UNSEALED_BY_TIME: Query<Unsealed> = { from: UNSEALED, equal: [], range: { field: 'since', order: 'asc' } };

/** Marks the tenant of a row that is among the same writes. */
export function markUnsealed(
  writes: Writes,
  { tenant_id, ts }: { readonly tenant_id: TenantId; readonly ts: Instant },
) {
  const since = makeInstant(Math.floor(ts / SPAN_US) * SPAN_US);
  writes.mark(UNSEALED, `${tenant_id}_${since / SECOND_US}`, { tenant_id, since });
}

/** When the time that a mark is for is over. */
export function endOf({ since }: Unsealed): Instant {
  return makeInstant(since + SPAN_US);
}
