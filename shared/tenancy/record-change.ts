import type { Id } from '../base/ids.ts';
import type { Writes } from '../store/writes.ts';
import type { FieldChange } from './changes.ts';

/**
 * Adds a change's audit row to the change's own commit, so that neither is stored without the other. `changes` are the
 * fields that changed, unless the object was removed.
 */
export type RecordChange = (writes: Writes, targetId: Id<string>, changes?: readonly FieldChange[]) => void;
