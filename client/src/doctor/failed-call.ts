import { EncryptionServiceError, type ErrorCode } from '../errors.ts';
import { fail, type Verdict } from './finding.ts';

/** Returns the code of a library error, or `undefined` for any other error. */
export function codeOf(error: unknown): ErrorCode | undefined {
  return error instanceof EncryptionServiceError ? error.code : undefined;
}

export function failedCall(what: string, error: unknown): Verdict {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof EncryptionServiceError))
    return fail(`${what}: ${message}.`, 'Sign in again, or try again later.');
  const { code, requestId } = error;
  return fail(
    `${what}: ${code}: ${message} (request ${requestId}).`,
    code === 'rate_limited' || code === 'unavailable'
      ? 'Send fewer requests at once, or try again later.'
      : 'Try again later. If it fails again, send the request ID to the operator.',
  );
}
