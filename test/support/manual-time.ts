import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Time } from '../../shared/base/rate.ts';

/** A clock that stands still until the test moves it. */
export interface ManualTime extends Time {
  /** Moves the clock. On the way, wakes each waiter at its time. */
  move(ms: number): Promise<void>;
}

export function makeManualTime(): ManualTime {
  let now = 0;
  const waiters: { readonly at: number; readonly wake: () => void }[] = [];
  const takeDue = (until: number) => {
    waiters.sort((one, other) => one.at - other.at);
    const [first] = waiters;
    return first !== undefined && first.at <= until ? waiters.shift() : undefined;
  };
  return {
    nowMs: () => now,
    after: (ms, wake) => void waiters.push({ at: now + ms, wake }),
    async move(ms) {
      const until = now + ms;
      for (let due = takeDue(until); due !== undefined; due = takeDue(until)) {
        now = due.at;
        due.wake();
        await nextTurn();
      }
      now = until;
      await nextTurn();
    },
  };
}
