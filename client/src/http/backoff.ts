const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** Returns a random wait in milliseconds, so that callers do not retry together. The upper limit doubles each time. */
export function backoff(retry: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** retry);
}
