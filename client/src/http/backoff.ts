const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** Returns a random wait in milliseconds. Its upper limit doubles, so that callers do not retry together. */
export function backoff(retry: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** retry);
}
