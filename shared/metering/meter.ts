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

const KEYS_KEPT = 10_000;

export interface Meter {
  /** The month and day (`01` to `31`) of the check. The operation counts in this month and day. */
  readonly month: Month;
  readonly day: string;
  /** The key's operations so far this month. Read only for tiers with a hard cap. */
  readonly used: Promise<number>;
  /** Whether the tenant's billing allows new ciphertext under the key. */
  readonly paidFor: Promise<boolean>;
}

/** A request for the meter of a key that is still being read. */
interface Metered {
  /** The key that the request is probably about. Its meter is read early, but not used if the guess was wrong. */
  readonly likelyId: KeyId | undefined;
  readonly found: Promise<Key | undefined>;
  /** Whether the operation makes new ciphertext. Decryption is never refused because of billing. */
  readonly makesCiphertext: boolean;
}

const UNMETERED = { used: Promise.resolve(0), paidFor: Promise.resolve(true) };

type Metering = Pick<Key, 'id' | 'tenant_id' | 'tier'>;

/** Reads the meters of keys, if possible while the key itself is still being read. */
export class Meters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #standing: Standing;
  /** The tier and tenant of recently read keys, so that a meter can be read at the same time as its key. */
  readonly #known = new LRUCache<KeyId, Metering>({ max: KEYS_KEPT });

  constructor(store: Store, clock: Clock, standing: Standing) {
    this.#store = store;
    this.#clock = clock;
    this.#standing = standing;
  }

  /** Returns the key's meter, which is valid only if the key is found. */
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

/** Throws `billing_required` if the key is paid and billing is not in good standing. */
export async function refuseUnpaid({ paidFor }: Pick<Meter, 'paidFor'>): Promise<void> {
  if (await paidFor) return;
  throw new ApiError(
    'billing_required',
    "new ciphertext under a paid key needs the tenant's billing in good standing; decrypt and unwrap still work",
  );
}

/**
 * Throws `ops_cap_reached` if the key has reached its tier's hard cap. `before` is the number of earlier values in the
 * same request, which are not counted yet.
 */
export async function refuseCapped({ month, used }: Meter, { tier }: Key, before: number): Promise<void> {
  const { hardCap, monthlyOps: cap } = TIER[tier];
  if (!hardCap || (await used) + before < cap) return;
  throw new ApiError('ops_cap_reached', 'monthly operation cap reached', {
    body: { cap, resets_at: viewInstant(nextMonthStart(month)) },
  });
}
