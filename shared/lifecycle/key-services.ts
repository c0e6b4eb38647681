import type { Clock } from '../base/clock.ts';
import type { FairQueue } from '../base/fair-queue.ts';
import type { Log } from '../base/log.ts';
import type { DataKeyCache } from '../crypto/data-key-cache.ts';
import type { Kms } from '../kms/kms.ts';
import type { KmsWrites } from '../kms/kms-writes.ts';
import type { Store } from '../store/store.ts';
import type { KeyChanges } from './key-changes.ts';

/** What ends a key and its versions. */
export interface DestructionServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly kms: Kms;
  readonly kmsWrites: KmsWrites;
  /** Waits half a second, until no operation relies on an older state of a key. */
  readonly settle: () => Promise<void>;
}

/** What creates and rotates keys, too. */
export interface KeyServices extends DestructionServices {
  /** `undefined` if no wrapped root is configured. */
  readonly dataKeys: DataKeyCache | undefined;
  /** Queues changes of keys. */
  readonly keyChanges: KeyChanges;
  /** Runs the creations of each tenant one at a time. */
  readonly creations: FairQueue;
  /** The maximum number of live `free` keys per tenant: one if billing is configured. */
  readonly freeKeysAtMost: number;
}
