import type { Instant } from './clock.ts';

export function byAge(a: { created_at: Instant; id: string }, b: { created_at: Instant; id: string }): number {
  return a.created_at - b.created_at || (a.id < b.id ? -1 : 1);
}
