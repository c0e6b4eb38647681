/**
 * Starts to measure time. The result returns the milliseconds since then, by the machine's wall clock or by its
 * monotonic clock, whichever says more: the monotonic clock stops while a machine sleeps, and the wall clock can be set.
 */
export function startStopwatch(): () => number {
  const wall = Date.now();
  const monotonic = performance.now();
  return () => Math.max(Date.now() - wall, performance.now() - monotonic);
}
