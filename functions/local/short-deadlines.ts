import { DEADLINES_MS } from '../../shared/deadlines.ts';

/**
 * Short deadlines for tests that inject faults, long enough for a busy machine. `outage` is the shortest of them, so
 * that a call ends at the same deadline as in production.
 */
export const SHORT_DEADLINES_MS = { outage: 1_000, firestore: 2_000, kms: 2_000 };

// This module must be imported first, because other modules read the deadlines while they load.
if (process.env.DEADLINES === 'short') Object.assign(DEADLINES_MS, SHORT_DEADLINES_MS);
