import { DEADLINES_MS } from '../../shared/deadlines.ts';

/**
 * The deadlines of a stack in which parts fail, in place of the true ones: long enough for a busy machine, and in the
 * order in which the true ones are, so that the same of them ends a call.
 */
export const SHORT_DEADLINES_MS = { outage: 1_000, firestore: 2_000, kms: 2_000 };

// Imported before all else: others are made of the table as they are loaded.
if (process.env.DEADLINES === 'short') Object.assign(DEADLINES_MS, SHORT_DEADLINES_MS);
