import { DEADLINES_MS } from '../../shared/deadlines.ts';

/**
 * Deadlines for tests with faults. They are long enough for a busy machine. Sorted by length, they have the same order
 * as the real deadlines, so that the same deadline ends a call.
 */
export const SHORT_DEADLINES_MS = { outage: 1_000, firestore: 2_000, kms: 2_000 };

// This module must be imported first, because other modules read the deadlines while they load.
if (process.env.DEADLINES === 'short') Object.assign(DEADLINES_MS, SHORT_DEADLINES_MS);
