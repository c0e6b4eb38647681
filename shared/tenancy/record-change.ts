import type { Id } from '../base/ids.ts';
import type { Writes } from '../store/writes.ts';

/** Adds a change's audit row to the change's own commit, so that neither is stored without the other. */
export type RecordChange = (writes: Writes, targetId: Id<string>) => void;
