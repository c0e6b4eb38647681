import { setTimeout as pause } from 'node:timers/promises';
import type { TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../config.ts';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { isAlreadyExists, isChanged } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { CLAIMS } from './claim.ts';
import { type Counter, OBJECT_COUNTS } from './object-counts.ts';

/** How many things a tenant has at the most, and what they are called. */
const BOUNDS = {
  keys: { most: 10_000, things: 'live keys' },
  api_keys: { most: 1_000, things: 'live api keys' },
  containers: { most: 100, things: 'containers' },
  firewalls: { most: 1_000, things: 'firewalls' },
} as const;

/** The longest that whoever lost against another process waits before the next attempt, in milliseconds: after the first, and ever. */
const PAUSE_MS = { first: 20, longest: 320 };

/** One of a bounded number of places that a thing takes while it is there. */
export interface Place {
  readonly counter: Counter;
  readonly most: number;
  /** What is refused with when all are taken. */
  readonly full: () => ApiError;
}

/** A new thing of a tenant, and what it takes. */
export interface Creation {
  readonly tenantId: TenantId;
  /** The places that it takes, in the order in which their being taken is decided. */
  readonly places: readonly Place[];
  /** The claim on its name, which is decided before the places. */
  readonly name?: { readonly claim: string; readonly holder: string; readonly taken: () => ApiError };
  /** What is written of it, all but the claim. */
  readonly write: (writes: Writes) => void;
}

/** A place among a tenant's things of a kind. Without one left it is `limit_reached`, which names the bound. */
export function placeAmong(counter: keyof typeof BOUNDS): Place {
  const { most, things } = BOUNDS[counter];
  const message = `a tenant has at most ${most.toLocaleString('en-US')} ${things}`;
  return { counter, most, full: () => new ApiError('limit_reached', message) };
}

/**
 * Writes a new thing with its claim and its places in one commit, which fails when anything has changed the tenant's counts
 * since they were read: however many creations there are at once, no bound is passed. Those of one process take turns, so
 * that only processes contend; who loses reads again. Throws what the name or a full place refuses with, or `unavailable`
 * when the turn does not come, or others are first for too long.
 */
export function takePlaces(env: Env, creation: Creation): Promise<void> {
  return env.creations.run(
    creation.tenantId,
    async () => {
      const giveUpAt = performance.now() + DEADLINES_MS.firestore;
      for (let longest = PAUSE_MS.first; !(await tookPlaces(env, creation)); longest *= 2) {
        if (performance.now() > giveUpAt) throw tooMany();
        await pause(Math.random() * Math.min(longest, PAUSE_MS.longest));
      }
    },
    tooMany,
  );
}

/** Gives places of a tenant back: in the commit in which what had them ends. */
export function freePlaces(writes: Writes, tenantId: TenantId, ...counters: readonly Counter[]): void {
  writes.add(OBJECT_COUNTS, tenantId, Object.fromEntries(counters.map((counter) => [counter, -1])));
}

/** One attempt: `false` when something was written meanwhile that it was decided on. */
async function tookPlaces(env: Env, { tenantId, places, name, write }: Creation): Promise<boolean> {
  const counts = await env.store.findWithUpdateTime(OBJECT_COUNTS, tenantId);
  if (counts === undefined) throw new Error(`tenant ${tenantId} has no counts`);
  const full = places.find(({ counter, most }) => counts.doc[counter] >= most);
  const isTaken = async () => {
    const claim = name && (await env.store.find(CLAIMS, name.claim));
    return claim !== undefined && claim.holder !== name?.holder;
  };
  if (full !== undefined) throw name !== undefined && (await isTaken()) ? name.taken() : full.full();
  const added = Object.fromEntries(places.map(({ counter }) => [counter, 1]));
  try {
    await env.store.write((writes) => {
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
  return new ApiError('unavailable', 'too many creations of the tenant in flight');
}
