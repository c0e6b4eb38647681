import { setTimeout as pause } from 'node:timers/promises';

/** Repeats work until the signal aborts. Each run starts after the previous run. */
export async function repeat(stopped: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!stopped.aborted) {
    // Pauses, so that work that is refused at once does not keep this process busy.
    await Promise.all([work(), pause(1)]);
  }
}

/** Starts work at a fixed interval until the signal aborts, without waiting for its end. `n` counts from 0. */
export async function atInterval(ms: number, stopped: AbortSignal, start: (n: number) => unknown): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; !stopped.aborted; n++) {
    start(n);
    await pause(Math.max(0, startedAt + (n + 1) * ms - performance.now()));
  }
}

/** `n` counts from 0. */
export function inParallel<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)));
}
