import type { Instant } from './clock.ts';

/** Orders what was created oldest first; ids decide between things of the same microsecond. */
export function byAge(a: { created_at: Instant; id: string }, b: { created_at: Instant; id: string }): number {
  return a.created_at - b.created_at || (a.id < b.id ? -1 : 1);
}
