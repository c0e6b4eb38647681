import { z } from 'zod';
import { type Instant, MINUTE_US, makeInstant, SECOND_US } from '../base/clock.ts';
import { idSchema, type TenantId } from '../base/ids.ts';
import { collection, instantField } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Writes } from '../store/writes.ts';

/** How long a mark is for, in microseconds. */
const SPAN_US = 10 * MINUTE_US;

/**
 * All processes begin a new `since` at the same moment, with a mark for each tenant. Firestore takes some 500 writes a second
 * at the end of an index, so the marks are spread over these shards of it.
 */
export const MARK_SHARDS: readonly number[] = Array.from({ length: 16 }, (_, shard) => shard);

const unsealed = z.object({
  tenant_id: idSchema<TenantId>(),
  /** The start of the ten minutes in which the tenant has rows. */
  since: instantField,
  /** One of {@link MARK_SHARDS}, by the tenant's id, which is random. */
  shard: z.int().min(0),
});

/** A mark that a tenant has audit rows within some ten minutes. */
export type Unsealed = z.output<typeof unsealed>;

/**
 * `unsealed/{tenant id}_{seconds since the epoch}_{process}`: the tenants that have rows to seal. A process leaves a mark with
 * its first row of a tenant in each ten minutes; it goes once all of that time is sealed.
 */
export const UNSEALED = collection('unsealed', unsealed);

/** The marks, the oldest first. */
export const UNSEALED_BY_TIME: Query<Unsealed> = {
  from: UNSEALED,
  equal: [],
  anyOf: 'shard',
  range: { field: 'since', order: 'asc' },
};

/** Marks the tenant of a row that is among the same writes. */
export function markUnsealed(
  writes: Writes,
  { tenant_id, ts }: { readonly tenant_id: TenantId; readonly ts: Instant },
) {
  const since = makeInstant(Math.floor(ts / SPAN_US) * SPAN_US);
  const shard = Number.parseInt(tenant_id.slice(-4), 16) % MARK_SHARDS.length;
  writes.mark(UNSEALED, `${tenant_id}_${since / SECOND_US}`, { tenant_id, since, shard });
}

/** When the time that a mark is for is over. */
export function endOf({ since }: Unsealed): Instant {
  return makeInstant(since + SPAN_US);
}
