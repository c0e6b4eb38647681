import { EncryptionServiceError } from '../../../client/src/index.ts';
import { ChangedMeanwhile } from './changed-meanwhile.ts';

/**
 * Returns whether the same request may succeed later. That is so after an outage, a rate limit or an expired session.
 */
export function mayWorkLater(problem: unknown): boolean {
  if (problem instanceof ChangedMeanwhile) return false;
  if (!(problem instanceof EncryptionServiceError) || problem.status === undefined) return true;
  return problem.status >= 500 || problem.status === 401 || problem.status === 429;
}
