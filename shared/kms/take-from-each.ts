import type { TokenBuckets } from '../base/token-buckets.ts';
import { ApiError } from '../errors.ts';

/** Where tokens are taken from, and the message where there are too few. */
export interface Source {
  readonly buckets: TokenBuckets;
  readonly owner: string;
  readonly spent: string;
}

/** Takes tokens from every source, or from none and throws `unavailable` with the message of the first with too few. */
export function takeFromEach(count: number, sources: readonly Source[]): void {
  for (const { buckets, owner, spent } of sources) {
    if (buckets.waitMs(owner, count) > 0) throw new ApiError('unavailable', spent);
  }
  for (const { buckets, owner } of sources) buckets.take(owner, count);
}
