import type { FairQueue } from '../../shared/base/fair-queue.ts';
import { KmsWrites } from '../../shared/kms/kms-writes.ts';
import { KeyChanges } from '../../shared/lifecycle/key-changes.ts';
import type { NewKeyNeeds } from '../../shared/lifecycle/needs.ts';
import type { Keyed } from './keyed.ts';

/** What every function has besides that makes and changes keys. */
export type Changing = Keyed & NewKeyNeeds;

/** Makes what changes of keys wait in. */
export function openChanging(keyed: Keyed, creations: FairQueue): Changing {
  const { kmsWritesPerMinute, billing } = keyed.config;
  return {
    ...keyed,
    creations,
    keyChanges: new KeyChanges(),
    kmsWrites: new KmsWrites(kmsWritesPerMinute),
    freeKeysAtMost: billing === undefined ? Number.POSITIVE_INFINITY : 1,
  };
}
