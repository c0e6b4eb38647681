import { EncryptionServiceError, type ErrorCode, type ErrorDetails } from '../errors.ts';
import type { OperationId } from '../types.ts';
import { isRetryable } from './repetition.ts';

/** The error of an operation that failed so; the code and the operation decide whether it may be tried again. */
export function failure(
  operation: OperationId,
  code: ErrorCode,
  message: string,
  details: Omit<ErrorDetails, 'retryable'>,
): EncryptionServiceError {
  return new EncryptionServiceError(code, message, { ...details, retryable: isRetryable(operation, code) });
}
