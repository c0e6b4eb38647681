import { EncryptionServiceError } from '../../../client/src/index.ts';

/** Whether the same may work when it is tried again: it does not where the service refuses what was asked for. */
export function mayWorkLater(problem: unknown): boolean {
  if (!(problem instanceof EncryptionServiceError) || problem.status === undefined) return true;
  return problem.status >= 500 || problem.status === 401 || problem.status === 429;
}
