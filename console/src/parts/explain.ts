import { EncryptionServiceError } from '../../../client/src/index.ts';
import { SignInFailed } from '../session/provider.ts';
import { FAILURES, NO_CONFIG, NO_PROVIDER, READING_FAILURES, UNKNOWN_FAILURE } from '../words.ts';

export interface Explained {
  readonly happened: string;
  readonly advice: string;
  /** The message from the service, if it contains more information than the explanation. */
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
}

/**
 * Returns the explanation of an error. `isReading` means that the failed request was a read, so nothing can have
 * changed.
 */
export function explain(problem: unknown, isReading = false): Explained {
  if (problem instanceof EncryptionServiceError) {
    const known = (isReading ? READING_FAILURES[problem.code] : undefined) ?? FAILURES[problem.code];
    const asTheServiceSaid = known === undefined || problem.status === 400;
    return {
      ...(known ?? UNKNOWN_FAILURE),
      detail: asTheServiceSaid ? problem.message : undefined,
      requestId: problem.requestId,
    };
  }
  const none = { detail: undefined, requestId: undefined };
  if (problem instanceof SignInFailed) return { ...NO_PROVIDER, detail: problem.message, requestId: undefined };
  if (problem instanceof TypeError && problem.message.includes('config.json')) return { ...NO_CONFIG, ...none };
  if (problem instanceof Error && problem.message !== '')
    return { ...UNKNOWN_FAILURE, ...none, detail: problem.message };
  return { ...UNKNOWN_FAILURE, ...none };
}
