import { FairQueue, type Turns } from '../base/fair-queue.ts';
import type { KeyId, TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError, notFound, rowNotWritten } from '../errors.ts';
import { isLive, KEYS, type Key } from '../keys/key.ts';
import { isUnanswered } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';

/** Concurrent changes of the same key would conflict. */
export const CHANGES_OF_KEY: Turns = {
  what: 'changes of a key',
  owner: 'key',
  running: Number.POSITIVE_INFINITY,
  runningPerOwner: 1,
  bound: { waitingPerOwner: 16, waitMs: DEADLINES_MS.firestore, refuse: () => busy('changes to this key') },
};

const OF_A_TENANT = {
  owner: 'tenant',
  running: 64,
  runningPerOwner: 8,
  // A change that has begun is not refused because of the number of others, so requests in flight are the only limit.
  bound: {
    waitingPerOwner: Number.POSITIVE_INFINITY,
    waitMs: DEADLINES_MS.firestore,
    refuse: () => busy('key changes'),
  },
};
export const KMS_CHANGES: Turns = { ...OF_A_TENANT, what: 'creations and changes of keys that call the KMS' };
/** They have their own queue, so a slow KMS does not delay them. */
export const STORE_CHANGES: Turns = { ...OF_A_TENANT, what: 'changes of keys that do not call the KMS' };

/** The dependency that a change needs. */
type Dependency = 'kms' | 'store';

type InTurn = <T>(dependency: Dependency, part: () => Promise<T>) => Promise<T>;

/** Queues the key changes of this process. Changes of one key run one at a time, and tenants take turns. */
export class KeyChanges {
  readonly #ofKeys = new FairQueue(CHANGES_OF_KEY);
  readonly #ofTenants = { kms: new FairQueue(KMS_CHANGES), store: new FairQueue(STORE_CHANGES) };

  /** Runs a change after earlier ones of the key. Throws `unavailable` if too many wait, or the wait is too long. */
  change<T>(key: Pick<Key, 'id' | 'tenant_id'>, dependency: Dependency, change: () => Promise<T>): Promise<T> {
    return this.changeInParts(key, (inTurn) => inTurn(dependency, change));
  }

  /**
   * Like {@link change}, for a change that pauses. Each part takes a turn of the tenant. Between the parts, the change
   * holds up only other changes of the key.
   */
  changeInParts<T>(
    { id, tenant_id }: Pick<Key, 'id' | 'tenant_id'>,
    change: (inTurn: InTurn) => Promise<T>,
  ): Promise<T> {
    return this.#ofKeys.run(id, () => change((dependency, part) => this.#ofTenants[dependency].run(tenant_id, part)));
  }

  /** Runs the creation of a key in the tenant's turn. Throws `unavailable` if the wait is too long. */
  create<T>(tenantId: TenantId, creation: () => Promise<T>): Promise<T> {
    return this.#ofTenants.kms.run(tenantId, creation);
  }
}

/** Changes and records a key in one transaction. Without an answer, both may be stored, so no failure is recorded. */
export async function changeRecorded<T>(store: Store, change: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await store.transact(change);
  } catch (error) {
    throw isUnanswered(error) ? rowNotWritten(error) : error;
  }
}

/** Returns a live key as the transaction sees it. Throws `not_found`. */
export async function loadFresh(tx: Transaction, id: KeyId): Promise<Key> {
  const key = await tx.find(KEYS, id);
  if (key === undefined || !isLive(key)) throw notFound();
  return key;
}

function busy(what: string): ApiError {
  return new ApiError('unavailable', `too many ${what} in progress`);
}
