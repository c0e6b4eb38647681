import { DEADLINES_MS } from '../../shared/deadlines.ts';

/**
 * Short deadlines for tests that inject faults, long enough for a busy machine. `outage` is the shortest of them, so
 * that a call ends at the same deadline as in production.
 */
export const SHORT_DEADLINES_MS = { outage: 1_000, firestore: 2_000, kms: 2_000 };

/**
 * Long deadlines for tests without such faults, so that nothing is refused because the machine is busy. `outage` is
 * shorter than the 30 seconds that the client library waits.
 */
export const LONG_DEADLINES_MS = {
  ...{ policy: 40_000, identity: 40_000, firestore: 40_000, kms: 40_000 },
  ...{ outage: 20_000, readiness: 10_000, drain: 20_000, beforeExit: 15_000 },
};

// This module must be imported first, because other modules read the deadlines while they load.
const { DEADLINES } = process.env;
if (DEADLINES === 'short') Object.assign(DEADLINES_MS, SHORT_DEADLINES_MS);
if (DEADLINES === 'long') Object.assign(DEADLINES_MS, LONG_DEADLINES_MS);
