import { setTimeout as pause } from 'node:timers/promises';

/** Repeats `work` until the signal aborts. Each run starts after the previous run has ended. */
export async function repeat(stopped: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!stopped.aborted) {
    // Pauses for at least 1 ms. Otherwise requests that are refused immediately would keep this process busy.
    await Promise.all([work(), pause(1)]);
  }
}

/**
 * Calls `start` at a fixed interval until the signal aborts. Does not wait for the started work to end. `n` counts the
 * calls from 0.
 */
export async function atInterval(ms: number, stopped: AbortSignal, start: (n: number) => unknown): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; !stopped.aborted; n++) {
    start(n);
    await pause(Math.max(0, startedAt + (n + 1) * ms - performance.now()));
  }
}

/** Calls `work` in parallel, with `n` from 0 to `count` - 1. Returns all results. */
export function inParallel<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)));
}
