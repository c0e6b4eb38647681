import { setTimeout as wait } from 'node:timers/promises';

/** Does it again and again, as soon as it is done, until the signal. */
export async function again(stopped: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!stopped.aborted) {
    // What is refused at once is not to be all that this process does.
    await Promise.all([work(), wait(1)]);
  }
}

/** Begins it every so many milliseconds, whatever became of the last, until the signal. `n` counts from 0. */
export async function every(ms: number, stopped: AbortSignal, begin: (n: number) => unknown): Promise<void> {
  const from = performance.now();
  for (let n = 0; !stopped.aborted; n++) {
    begin(n);
    await wait(Math.max(0, from + (n + 1) * ms - performance.now()));
  }
}

/** So many of them side by side. */
export function sideBySide<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)));
}
