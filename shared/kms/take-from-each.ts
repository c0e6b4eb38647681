import type { TokenBuckets } from '../base/token-buckets.ts';
import { ApiError } from '../errors.ts';

export interface Source {
  readonly buckets: TokenBuckets;
  readonly owner: string;
  readonly message: string;
}

/** Takes from every source. If one has too few, takes from none and throws `unavailable` with that source's message. */
export function takeFromEach(count: number, sources: readonly Source[]): void {
  for (const { buckets, owner, message } of sources) {
    if (buckets.waitMs(owner, count) > 0) throw new ApiError('unavailable', message);
  }
  for (const { buckets, owner } of sources) buckets.take(owner, count);
}
