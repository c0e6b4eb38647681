import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { DeadlineExceeded, withDeadline } from '../base/deadline.ts';
import { hasStatus } from '../grpc/status.ts';

/** The longest random wait before a second attempt, in milliseconds. Each further one is `GROWTH` times as long. */
const WAIT_MS = 100;
const GROWTH = 1.3;

/** The deadline of the current operation. Google's class makes the calls, so the deadline cannot be an argument. */
const endsAt = new AsyncLocalStorage<number>();

/** Runs the work. After `limitMs` for all attempts together, cancels calls and throws {@link DeadlineExceeded}. */
export function within<T>(what: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  return withDeadline(what, limitMs, endsAt.run(performance.now() + limitMs, work));
}

/** Returns the milliseconds until the operation's deadline. Throws {@link DeadlineExceeded} once it has passed. */
export function leftMs(): number {
  const left = (endsAt.getStore() ?? Number.POSITIVE_INFINITY) - performance.now();
  if (left <= 0) throw new DeadlineExceeded('the deadline has passed: no further call is made');
  return left;
}

/** Retries an attempt while it fails with one of these statuses. */
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
