import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError } from '../errors.ts';
import type { Services } from '../services.ts';
import { isAlreadyExists, isChanged } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { CLAIMS } from './claim.ts';
import { type Counter, OBJECT_COUNTS } from './object-counts.ts';

const LIMITS = {
  keys: { max: 10_000, things: 'live keys' },
  api_keys: { max: 1_000, things: 'live api keys' },
  containers: { max: 100, things: 'containers' },
  firewalls: { max: 1_000, things: 'firewalls' },
} as const;

/** A tenant's creations run one at a time, because each of them changes the tenant's counts. */
export const CREATIONS: Limits = {
  running: 64,
  runningPerOwner: 1,
  waitingPerOwner: 256,
  waitMs: DEADLINES_MS.firestore,
};

/** The longest random wait after a conflict with another process, in milliseconds. It doubles each time. */
const BACK_OFF_MS = { first: 20, longest: 320 };

export interface Slot {
  readonly counter: Counter;
  readonly max: number;
  readonly full: () => ApiError;
}

export interface Creation {
  readonly tenantId: TenantId;
  readonly slots: readonly Slot[];
  /** The name to claim. If it is taken and a limit is reached too, the error is about the name. */
  readonly name?: { readonly claim: string; readonly holder: string; readonly taken: () => ApiError };
  readonly write: (writes: Writes) => void;
}

/** Returns a slot among the tenant's objects of one kind. If none is free, the error is `limit_reached`. */
export function slotAmong(counter: keyof typeof LIMITS): Slot {
  const { max, things } = LIMITS[counter];
  const message = `a tenant can have at most ${max.toLocaleString('en-US')} ${things}`;
  return { counter, max, full: () => new ApiError('limit_reached', message) };
}

/**
 * Creates an object, claims its name and counts it towards the tenant's limits, in one commit. The commit fails if the
 * counts have changed, so no limit is exceeded. Throws the error of a taken name or a reached limit, or `unavailable`.
 */
export function takeSlots(
  { store, creations }: Omit<Pick<Services, 'store' | 'clock' | 'creations'>, 'clock'>,
  creation: Creation,
): Promise<void> {
  return creations.run(
    creation.tenantId,
    async () => {
      const giveUpAt = performance.now() + DEADLINES_MS.firestore;
      for (let longest = BACK_OFF_MS.first; !(await tryTakeSlots(store, creation)); longest *= 2) {
        if (performance.now() > giveUpAt) throw tooMany();
        await sleep(Math.random() * Math.min(longest, BACK_OFF_MS.longest));
      }
    },
    tooMany,
  );
}

export function freeSlots(writes: Writes, tenantId: TenantId, ...counters: readonly Counter[]): void {
  writes.add(OBJECT_COUNTS, tenantId, Object.fromEntries(counters.map((counter) => [counter, -1])));
}

async function tryTakeSlots(store: Store, { tenantId, slots, name, write }: Creation): Promise<boolean> {
  const counts = await store.findWithUpdateTime(OBJECT_COUNTS, tenantId);
  if (counts === undefined) throw new ApiError('no_tenant', 'the tenant does not exist any more');
  const full = slots.find(({ counter, max }) => counts.doc[counter] >= max);
  const isTaken = async () => {
    const claim = name && (await store.find(CLAIMS, name.claim));
    return claim !== undefined && claim.holder !== name?.holder;
  };
  if (full !== undefined) throw name !== undefined && (await isTaken()) ? name.taken() : full.full();
  const added = Object.fromEntries(slots.map(({ counter }) => [counter, 1]));
  try {
    await store.write((writes) => {
      if (name !== undefined) writes.claim(CLAIMS, name.claim, { holder: name.holder });
      write(writes);
      writes.add(OBJECT_COUNTS, tenantId, added, counts.updateTime);
    });
    return true;
  } catch (error) {
    if (isChanged(error)) return false;
    if (name === undefined || !isAlreadyExists(error)) throw error;
    if (await isTaken()) throw name.taken();
    return false;
  }
}

function tooMany(): ApiError {
  return new ApiError('unavailable', 'too many create requests in progress for this tenant');
}
