import type { ApiKey } from '../../../client/src/index.ts';

const UNUSED_MS = 90 * 86_400_000;

/**
 * Returns whether an API key has not been used for 90 days. For an API key that was never used, the time since its
 * creation counts.
 */
export function isUnused({ created_at, last_used_at }: ApiKey, now: Date): boolean {
  return now.getTime() - (last_used_at ?? created_at).getTime() > UNUSED_MS;
}
