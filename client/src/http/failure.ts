import { EncryptionServiceError, type ErrorCode, type ErrorDetails } from '../errors.ts';
import type { OperationId } from '../types.ts';
import { isRetryable } from './repetition.ts';

/** Returns an error. The code and the operation decide whether the error is `retryable`. */
export function failure(
  operation: OperationId,
  code: ErrorCode,
  message: string,
  details: Omit<ErrorDetails, 'retryable'>,
): EncryptionServiceError {
  return new EncryptionServiceError(code, message, { ...details, retryable: isRetryable(operation, code) });
}
