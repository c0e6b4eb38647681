import { z } from 'zod';
import { type Instant, MINUTE_US, makeInstant, SECOND_US } from '../base/clock.ts';
import { idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Writes } from '../store/writes.ts';

/** The length of the period that a mark covers, in microseconds. */
const SPAN_US = 10 * MINUTE_US;

/** Shards of marks, because Firestore allows about 500 writes a second to adjacent index entries. */
export const MARK_SHARDS: readonly number[] = Array.from({ length: 16 }, (_, shard) => shard);

const unsealed = z.object({
  tenant_id: idSchema<TenantId>(),
  since: instantField,
  /** One of {@link MARK_SHARDS}, derived from the tenant's random id. */
  shard: z.int().min(0),
});

/** A mark which says that a tenant has unsealed audit rows from a period of ten minutes. */
export type Unsealed = z.output<typeof unsealed>;

/**
 * `unsealed/{tenant id}_{seconds since the epoch}_{process}`. In each period, a process stores a mark together with the
 * first row that it writes for a tenant. The mark is removed once the whole period is sealed.
 */
export const UNSEALED = collection('unsealed', unsealed);

export const UNSEALED_BY_TIME: Query<Unsealed> = {
  from: UNSEALED,
  equal: [],
  anyOf: 'shard',
  range: { field: 'since', order: 'asc' },
};

/** Adds a mark for a row's tenant and period to the commit that writes the row. */
export function markUnsealed(
  writes: Writes,
  { tenant_id, ts }: { readonly tenant_id: TenantId; readonly ts: Instant },
) {
  const since = makeInstant(Math.floor(ts / SPAN_US) * SPAN_US);
  const shard = Number.parseInt(tenant_id.slice(-4), 16) % MARK_SHARDS.length;
  writes.mark(UNSEALED, `${tenant_id}_${since / SECOND_US}`, { tenant_id, since, shard });
}

/** Returns the end of the period that a mark covers, exclusive. */
export function endOf({ since }: Unsealed): Instant {
  return makeInstant(since + SPAN_US);
}
