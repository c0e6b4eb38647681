import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DataKeys } from '../crypto/data-keys.ts';
import type { Kms } from '../kms/kms.ts';
import type { KmsWrites } from '../kms/kms-writes.ts';
import type { Store } from '../store/store.ts';
import type { CreationNeeds } from '../tenancy/needs.ts';
import type { KeyChanges } from './key-changes.ts';

export interface ChangeNeeds {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyChanges: KeyChanges;
}

export interface DestructionNeeds {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly kms: Kms;
  readonly kmsWrites: KmsWrites;
}

export interface MaterialNeeds {
  readonly kms: Kms;
  /** Present where a wrapped root is configured. */
  readonly dataKeys: DataKeys | undefined;
}

export interface NewKeyNeeds extends ChangeNeeds, DestructionNeeds, MaterialNeeds, CreationNeeds {
  /** The maximum of live `free` keys per tenant: one where billing is configured. */
  readonly freeKeysAtMost: number;
}
