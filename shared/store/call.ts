import { setTimeout as pause } from 'node:timers/promises';
import { DeadlineExceeded, withDeadline } from '../base/deadline.ts';
import { DEADLINES_MS } from '../deadlines.ts';
import { hasStatus } from '../grpc/status.ts';

/** The longest random wait before a second attempt, in milliseconds. Each further one is `GROWTH` times as long. */
const WAIT_MS = 100;
const GROWTH = 1.3;

/** Returns when an operation of the store that begins now must end, in milliseconds on the monotonic clock. */
export function endOfOperation(): number {
  return performance.now() + DEADLINES_MS.firestore;
}

/**
 * Makes a call, and repeats it while it fails with one of the gRPC statuses `again`. Throws {@link DeadlineExceeded}
 * once `endsAt` has passed. `attempt` gets the milliseconds until then.
 */
export async function call<T>(
  endsAt: number,
  again: readonly number[],
  attempt: (leftMs: number) => Promise<T>,
): Promise<T> {
  for (let longestMs = WAIT_MS; ; longestMs *= GROWTH) {
    const leftMs = endsAt - performance.now();
    if (leftMs <= 0) throw new DeadlineExceeded('firestore: the deadline has passed, so no further call is made');
    try {
      return await withDeadline('firestore', leftMs, attempt(leftMs));
    } catch (error) {
      if (!again.some((status) => hasStatus(error, status))) throw error;
    }
    await withDeadline('firestore', Math.max(0, endsAt - performance.now()), pause(Math.random() * longestMs));
  }
}
