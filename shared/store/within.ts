import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { DeadlineExceeded, withDeadline } from '../base/deadline.ts';
import { hasStatus } from '../grpc/status.ts';

/** The longest random wait before a second attempt, and how it grows: as Google's clients have it. */
const WAIT_MS = 100;
const GROWTH = 1.3;

/** When an operation on the store ends, by the monotonic clock. Google's class makes calls of its own: they find it here. */
const endsAt = new AsyncLocalStorage<number>();

/**
 * Does the work, or throws {@link DeadlineExceeded} after `limitMs`: that is for all attempts together. Calls under way are then
 * cancelled, and none is begun.
 */
export function within<T>(what: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  return withDeadline(what, limitMs, endsAt.run(performance.now() + limitMs, work));
}

/** How long a call of the current operation may take. Throws {@link DeadlineExceeded} once that is over. */
export function leftMs(): number {
  const left = (endsAt.getStore() ?? Number.POSITIVE_INFINITY) - performance.now();
  if (left <= 0) throw new DeadlineExceeded('the deadline has passed: no further call is made');
  return left;
}

/** Makes an attempt again while it fails with one of these statuses. */
export async function retry<T>(statuses: readonly number[], attempt: () => Promise<T>): Promise<T> {
  for (let longestMs = WAIT_MS; ; longestMs *= GROWTH) {
    try {
      return await attempt();
    } catch (error) {
      if (!statuses.some((status) => hasStatus(error, status))) throw error;
    }
    await pause(Math.random() * longestMs);
  }
}
