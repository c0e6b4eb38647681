import { FairQueue } from '../base/fair-queue.ts';
import type { KeyId, TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { ApiError, notFound } from '../errors.ts';
import { isLive, KEYS, type Key } from '../keys/key.ts';
import type { Transaction } from '../store/transaction.ts';

const WAIT = { waitMs: DEADLINES_MS.firestore };
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The most changes of a tenant that run or wait. One API key can have twice as many requests in flight. */
const IN_FLIGHT = { running: NO_LIMIT, runningPerOwner: 128, waitingPerOwner: 0, ...WAIT };
/** Concurrent changes of the same key would conflict, so they run one at a time. */
const OF_A_KEY = { running: NO_LIMIT, runningPerOwner: 1, waitingPerOwner: 16, ...WAIT };
const OF_A_TENANT = { running: 64, runningPerOwner: 8, waitingPerOwner: NO_LIMIT, ...WAIT };

/** The dependency that a change needs. Changes in the KMS have their own queue: a slow KMS delays no other changes. */
type Dependency = 'kms' | 'store';

type InTurn = <T>(dependency: Dependency, part: () => Promise<T>) => Promise<T>;

/** Queues the key changes of this process. Changes of one key run one at a time, and tenants take turns. */
export class KeyChanges {
  readonly #inFlight = new FairQueue(IN_FLIGHT);
  readonly #ofKeys = new FairQueue(OF_A_KEY);
  readonly #ofTenants = { kms: new FairQueue(OF_A_TENANT), store: new FairQueue(OF_A_TENANT) };

  /** Runs a change after earlier ones of the key. Throws `unavailable` if too many wait, or the wait is too long. */
  change<T>(key: Pick<Key, 'id' | 'tenant_id'>, dependency: Dependency, change: () => Promise<T>): Promise<T> {
    return this.changeInParts(key, (inTurn) => inTurn(dependency, change));
  }

  /**
   * Like {@link change}, for a change that pauses. Each part takes a turn of the tenant. Between the parts, the change
   * holds up only other changes of the key, and after the first part it no longer counts as in progress.
   */
  async changeInParts<T>(
    { id, tenant_id }: Pick<Key, 'id' | 'tenant_id'>,
    change: (inTurn: InTurn) => Promise<T>,
  ): Promise<T> {
    using inFlight = new DisposableStack();
    inFlight.use(await this.#inFlight.enter(tenant_id, tooManyInFlight).turn);
    const inTurn: InTurn = (dependency, part) =>
      this.#takeTurn(tenant_id, dependency, part).finally(() => inFlight.dispose());
    return await this.#ofKeys.run(
      id,
      () => change(inTurn),
      () => busy('changes to this key in progress'),
    );
  }

  /** Runs the creation of a key in the tenant's turn. Throws `unavailable` like {@link change}. */
  create<T>(tenantId: TenantId, creation: () => Promise<T>): Promise<T> {
    return this.#inFlight.run(tenantId, () => this.#takeTurn(tenantId, 'kms', creation), tooManyInFlight);
  }

  #takeTurn<T>(tenantId: TenantId, dependency: Dependency, work: () => Promise<T>): Promise<T> {
    return this.#ofTenants[dependency].run(tenantId, work, () => busy('key changes in progress'));
  }
}

/** Returns a live key as the transaction sees it. Throws `not_found`. */
export async function loadFresh(tx: Transaction, id: KeyId): Promise<Key> {
  const key = await tx.find(KEYS, id);
  if (key === undefined || !isLive(key)) throw notFound();
  return key;
}

function tooManyInFlight(): ApiError {
  return busy('key changes in progress for this tenant');
}

function busy(what: string): ApiError {
  return new ApiError('unavailable', `too many ${what}`);
}
