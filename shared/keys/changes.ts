import { FairQueue } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import { DEADLINES_MS } from '../config.ts';
import { ApiError } from '../errors.ts';
import type { Key } from './key.ts';

/** What waits, waits as long as for an answer of the store at the most. */
const WAIT = { waitMs: DEADLINES_MS.firestore };
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** Changes of one tenant that run or wait: half of the requests that one API key may have in flight. */
const IN_FLIGHT = { running: NO_LIMIT, runningPerOwner: 128, waitingPerOwner: 0, ...WAIT };
/** Changes of one key contend for its record, so they run one after another. */
const OF_A_KEY = { running: NO_LIMIT, runningPerOwner: 1, waitingPerOwner: 16, ...WAIT };
const OF_A_TENANT = { running: 64, runningPerOwner: 8, waitingPerOwner: NO_LIMIT, ...WAIT };

/**
 * The changes of keys in this process: of a key one at a time, in the order that they came; of a tenant a few; and
 * tenants take turns. What two processes do at once is decided by the store's transactions.
 */
export class KeyChanges {
  readonly #inFlight = new FairQueue(IN_FLIGHT);
  readonly #ofKeys = new FairQueue(OF_A_KEY);
  readonly #ofTenants = new FairQueue(OF_A_TENANT);

  /** Runs a change of a key once those before it are done. Throws `unavailable` where too many are, or it waited too long. */
  change<T>({ id, tenant_id }: Pick<Key, 'id' | 'tenant_id'>, change: () => Promise<T>): Promise<T> {
    const inTurn = () => this.#takeTurn(tenant_id, change);
    return this.#enter(tenant_id, () => this.#ofKeys.run(id, inTurn, () => busy('changes of this key')));
  }

  /** Runs the creation of a key when it is its tenant's turn. Throws `unavailable` like {@link change}. */
  create<T>(tenantId: TenantId, creation: () => Promise<T>): Promise<T> {
    return this.#enter(tenantId, () => this.#takeTurn(tenantId, creation));
  }

  #enter<T>(tenantId: TenantId, work: () => Promise<T>): Promise<T> {
    return this.#inFlight.run(tenantId, work, () => busy('key changes of this tenant'));
  }

  #takeTurn<T>(tenantId: TenantId, work: () => Promise<T>): Promise<T> {
    return this.#ofTenants.run(tenantId, work, () => busy('key changes'));
  }
}

function busy(what: string): ApiError {
  return new ApiError('unavailable', `too many ${what} in flight`);
}
