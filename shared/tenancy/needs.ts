import type { Clock } from '../base/clock.ts';
import type { FairQueue } from '../base/fair-queue.ts';
import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';

export interface ChangeNeeds {
  readonly store: Store;
  readonly clock: Clock;
}

export interface CreationNeeds extends ChangeNeeds {
  /** Runs a tenant's creations one at a time, within the limits `CREATIONS`. */
  readonly creations: FairQueue;
}

export interface MintingNeeds extends CreationNeeds {
  readonly secrets: {
    /** Hashes a new secret. Throws `unavailable` when too many of the tenant's secrets wait. */
    hash(tenantId: TenantId, secret: string): Promise<string>;
  };
}
