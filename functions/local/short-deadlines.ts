import { DEADLINES_MS } from '../../shared/deadlines.ts';

/**
 * Deadlines for tests of faults: long enough for a busy machine, and in the order of the real ones, so that the same
 * deadline ends a call.
 */
export const SHORT_DEADLINES_MS = { outage: 1_000, firestore: 2_000, kms: 2_000 };

// Must be imported first: other modules read the table while they load.
if (process.env.DEADLINES === 'short') Object.assign(DEADLINES_MS, SHORT_DEADLINES_MS);
