import { setTimeout as sleep } from 'node:timers/promises';
import { type Instant, SECOND_US } from '../base/clock.ts';

/** Half a second, and a millisecond more because a timer can end that much too early. */
const SETTLE_MS = 501;

/** More than the half second, because a change is committed up to ten seconds after the time that it stores. */
const SETTLED_AFTER_US = 30 * SECOND_US;

/**
 * Waits half a second, after a commit that ends the use of a version or of a key. By then, every operation that read
 * the key before the commit has returned its response or reads the key again.
 */
export async function settle(): Promise<void> {
  await sleep(SETTLE_MS);
}

/** Whether a commit that stored the time `at` was certainly applied half a second ago. */
export function isSettled(at: Instant | undefined, now: Instant): boolean {
  return at !== undefined && at + SETTLED_AFTER_US <= now;
}
