import { LRUCache } from 'lru-cache';
import { type Clock, viewInstant } from '../base/clock.ts';
import type { KeyId } from '../base/ids.ts';
import { dayNameOf, type Month, monthOf, nextMonthStart } from '../base/month.ts';
import { prefetch } from '../base/prefetch.ts';
import { ApiError } from '../errors.ts';
import type { Key } from '../keys/key.ts';
import type { Store } from '../store/store.ts';
import { TIER } from '../tiers.ts';
import { readCount } from './counter.ts';
import type { Standing } from './standing.ts';

/** Two ids and a tier each. */
const KEYS_KEPT = 10_000;

/** What decides whether a key may be used besides its state, on its way while the other checks are made. */
export interface Meter {
  /** When the operation is checked, which is when it counts: the month, and its day, `01` to `31`. */
  readonly month: Month;
  readonly day: string;
  /** Operations so far this month; asked only of a tier that a cap stops. */
  readonly used: Promise<number>;
  /** Whether new ciphertext may be made under the key as far as billing goes. */
  readonly paidFor: Promise<boolean>;
}

/** A key whose meter is read while it is still on its way. */
interface Metered {
  /** The key that is likely found: its meter is read early, and not used if another key is found. */
  readonly likelyId: KeyId | undefined;
  readonly found: Promise<Key | undefined>;
  /** Whether billing has a say: what opens ciphertext is never refused for it. */
  readonly makesCiphertext: boolean;
}

/** What is not asked, as of a key that no cap stops, and one that is not paid. */
const UNMETERED = { used: Promise.resolve(0), paidFor: Promise.resolve(true) };

/** What decides how a key is metered; it never changes. */
type Metering = Pick<Key, 'id' | 'tenant_id' | 'tier'>;

/** Reads meters: all that can be had before the key itself is asked for at once. */
export class Meters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #standing: Standing;
  /** Of keys that were met before: their meters are read beside the key, not after it. */
  readonly #known = new LRUCache<KeyId, Metering>({ max: KEYS_KEPT });

  constructor(store: Store, clock: Clock, standing: Standing) {
    this.#store = store;
    this.#clock = clock;
    this.#standing = standing;
  }

  /** The meter of a key; what it promises is to be used only where the key was found. */
  read({ likelyId, found, makesCiphertext }: Metered): Meter {
    const now = this.#clock.now();
    const when = { month: monthOf(now), day: dayNameOf(now) };
    const known = likelyId && this.#known.get(likelyId);
    const early = known && this.#meterOf(known, makesCiphertext, when);
    const meter = found.then((key) => {
      if (key === undefined) return UNMETERED;
      if (early !== undefined && key.id === likelyId) return early;
      this.#known.set(key.id, { id: key.id, tenant_id: key.tenant_id, tier: key.tier });
      return this.#meterOf(key, makesCiphertext, when);
    });
    return {
      ...when,
      used: prefetch(meter.then(({ used }) => used)),
      paidFor: prefetch(meter.then(({ paidFor }) => paidFor)),
    };
  }

  #meterOf(key: Metering, makesCiphertext: boolean, when: Pick<Meter, 'month' | 'day'>): Meter {
    const { hardCap, paid } = TIER[key.tier];
    const used = hardCap ? prefetch(readCount(this.#store, key, when.month)) : UNMETERED.used;
    const paidFor = makesCiphertext && paid ? prefetch(this.#standing.isGood(key.tenant_id)) : UNMETERED.paidFor;
    return { ...when, used, paidFor };
  }
}

/** Throws `billing_required` for new ciphertext under a paid key while billing is not in good standing. */
export async function refuseUnpaid({ paidFor }: Pick<Meter, 'paidFor'>): Promise<void> {
  if (await paidFor) return;
  throw new ApiError(
    'billing_required',
    "new ciphertext under a paid key needs the tenant's billing in good standing; decrypt and unwrap still work",
  );
}

/**
 * Throws `ops_cap_reached` if the operations of the month reach the cap of the key's tier. `before` are operations that
 * the same request has performed and not yet counted.
 */
export async function refuseCapped({ month, used }: Meter, { tier }: Key, before: number): Promise<void> {
  const { hardCap, monthlyOps: cap } = TIER[tier];
  if (!hardCap || (await used) + before < cap) return;
  throw new ApiError('ops_cap_reached', 'monthly operation cap reached', {
    body: { cap, resets_at: viewInstant(nextMonthStart(month)) },
  });
}
