import type { FairQueue, Turns } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import type { Month } from '../base/month.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import { isAlreadyExists, isNotFound } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { CLAIMS } from './claim.ts';
import { type Counter, OBJECT_COUNTS, type ObjectCounts } from './object-counts.ts';

const LIMITS = {
  keys: { max: 10_000, things: 'live keys' },
  api_keys: { max: 1_000, things: 'live api keys' },
  containers: { max: 100, things: 'containers' },
  firewalls: { max: 1_000, things: 'firewalls' },
} as const;

const PAID_KEYS_PER_MONTH = 100_000;

/** A tenant's creations run one at a time, because each of them changes the tenant's counts. */
export const CREATIONS: Turns = {
  what: 'creations that count towards a [limit](data-model.md#bounds)',
  owner: 'tenant',
  running: 64,
  runningPerOwner: 1,
  bound: {
    waitingPerOwner: 256,
    waitMs: DEADLINES_MS.firestore,
    refuse: () => new ApiError('unavailable', 'too many create requests in progress for this tenant'),
  },
};

export interface Slot {
  readonly isFull: (counts: ObjectCounts) => boolean;
  /** Returns the counts after the slot has been taken. */
  readonly take: (counts: ObjectCounts) => ObjectCounts;
  readonly full: () => ApiError;
}

export interface Creation {
  readonly tenantId: TenantId;
  readonly slots: readonly Slot[];
  /** The name to claim. If it is taken and a limit is reached too, the error is about the name. */
  readonly name?: { readonly claim: string; readonly holder: string; readonly taken: () => ApiError };
  readonly write: (writes: Writes) => void;
  /** Makes the error if a document that `write` changes does not exist any more. */
  readonly gone?: () => ApiError | Promise<ApiError>;
}

/** Returns a slot among the tenant's objects of one kind. If none is free, the error is `limit_reached`. */
export function slotAmong(counter: keyof typeof LIMITS): Slot {
  const { max, things } = LIMITS[counter];
  const message = `a tenant can have at most ${max.toLocaleString('en-US')} ${things}`;
  return { ...slotOf(counter, max), full: () => new ApiError('limit_reached', message) };
}

export function slotOf(counter: Counter, max: number): Pick<Slot, 'isFull' | 'take'> {
  return {
    isFull: (counts) => counts[counter] >= max,
    take: (counts) => ({ ...counts, [counter]: counts[counter] + 1 }),
  };
}

/** Returns a slot among the paid keys that a tenant may create in a UTC month, destroyed ones included. */
export function slotAmongPaidKeys(month: Month): Slot {
  const message = `a tenant can create at most ${PAID_KEYS_PER_MONTH.toLocaleString('en-US')} paid keys in a month`;
  return {
    isFull: (counts) => paidKeysCreated(counts, month) >= PAID_KEYS_PER_MONTH,
    take: (counts) => ({
      ...counts,
      paid_keys_month: isCounted(counts, month) ? counts.paid_keys_month : month,
      paid_keys_created: paidKeysCreated(counts, month) + 1,
    }),
    full: () => new ApiError('limit_reached', message),
  };
}

function paidKeysCreated(counts: ObjectCounts, month: Month): number {
  return isCounted(counts, month) ? counts.paid_keys_created : 0;
}

/** Whether the counts are of this month. At the turn of a month, another process may already count the next one. */
function isCounted({ paid_keys_month }: ObjectCounts, month: Month): boolean {
  return paid_keys_month !== null && paid_keys_month >= month;
}

/**
 * Creates an object, claims its name and counts it towards the tenant's limits, in one commit. The commit fails if the
 * counts have changed, so no limit is exceeded. Throws the error of a taken name or a reached limit, or `unavailable`.
 */
export function takeSlots(
  { store, creations }: { readonly store: Store; readonly creations: FairQueue },
  creation: Creation,
): Promise<void> {
  return creations.run(creation.tenantId, () => store.retryOnConflict(() => tryTakeSlots(store, creation)));
}

export function freeSlots(
  writes: Writes,
  tenantId: TenantId,
  ...counters: readonly (Counter | 'paid_keys_created')[]
): void {
  writes.add(OBJECT_COUNTS, tenantId, Object.fromEntries(counters.map((counter) => [counter, -1])));
}

async function tryTakeSlots(store: Store, { tenantId, slots, name, write, gone }: Creation): Promise<void> {
  const counts = await store.findWithUpdateTime(OBJECT_COUNTS, tenantId);
  if (counts === undefined) throw new ApiError('no_tenant', 'the tenant does not exist any more');
  const full = slots.find(({ isFull }) => isFull(counts.doc));
  const isTaken = async () => {
    const claim = name && (await store.find(CLAIMS, name.claim));
    return claim !== undefined && claim.holder !== name?.holder;
  };
  if (full !== undefined) throw name !== undefined && (await isTaken()) ? name.taken() : full.full();
  const taken = slots.reduce((sum, { take }) => take(sum), counts.doc);
  try {
    await store.write((writes) => {
      if (name !== undefined) writes.claim(CLAIMS, name.claim, { holder: name.holder });
      write(writes);
      writes.replaceUnchanged(OBJECT_COUNTS, tenantId, taken, counts.updateTime);
    });
  } catch (error) {
    if (gone !== undefined && isNotFound(error)) throw await gone();
    if (name !== undefined && isAlreadyExists(error) && (await isTaken())) throw name.taken();
    throw error;
  }
}
