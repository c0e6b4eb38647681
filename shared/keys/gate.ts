import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';

/** Runs a change that the KMS takes part in. Throws `unavailable` when too many are in flight: its quota for changes is small. */
export function enterKeyChange<T>(env: Env, change: () => Promise<T>): Promise<T> {
  return env.keyChanges.enter(change, () => new ApiError('unavailable', 'too many key changes in flight'));
}
