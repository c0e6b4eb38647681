const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/** Milliseconds to wait before a call is tried again: anything up to a bound that doubles, so that callers do not return together. */
export function backoff(retry: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** retry);
}
