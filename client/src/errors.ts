import { API_CODES } from './api/generated.ts';
import { Timestamp } from './api/timestamp.ts';

export type ApiErrorCode = keyof typeof API_CODES;

/**
 * An error code that only the library uses:
 * - `unreachable`: every connection failed, so the service did not receive the request.
 * - `answer_lost`: the response did not arrive. The service may have performed the operation.
 * - `deadline_exceeded`: the call took longer than `timeoutMs`. The service may still complete the operation.
 * - `aborted`: the signal of the call was aborted. The service may still complete the operation.
 * - `invalid_answer`: the response does not have the service's format, for example because another server sent it.
 */
export type ClientErrorCode = 'unreachable' | 'answer_lost' | 'deadline_exceeded' | 'aborted' | 'invalid_answer';

export type ErrorCode = ApiErrorCode | ClientErrorCode;

export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly resetsAt?: Date | undefined;
  readonly cause?: unknown;
}

/** A call to the service failed. Programs check `code`; `message` is for people and may change. */
export class EncryptionServiceError extends Error {
  /** Also recognizes errors of another copy of this package. */
  static override [Symbol.hasInstance](value: unknown): value is EncryptionServiceError {
    return isNamed(value, 'EncryptionServiceError');
  }

  override readonly name = 'EncryptionServiceError';
  readonly code: ErrorCode;
  /** The HTTP status, if a response arrived. */
  readonly status: number | undefined;
  /** The id of the request in the service's logs and in the audit log. All attempts of a call share it. */
  readonly requestId: string | undefined;
  /** Whether the call may succeed later and is safe to repeat. */
  readonly retryable: boolean;
  /** For `ops_cap_reached`: when the service accepts operations with this key again. */
  readonly resetsAt: Date | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryable = details.retryable ?? false;
    this.resetsAt = details.resetsAt && new Timestamp(details.resetsAt.toJSON());
  }
}

/** Whether the value is an error with the name, of any realm and any copy of this package. */
export function isNamed(value: unknown, name: string): boolean {
  return Object.prototype.toString.call(value) === '[object Error]' && Object(value).name === name;
}

export function isApiErrorCode(text: unknown): text is ApiErrorCode {
  return typeof text === 'string' && Object.hasOwn(API_CODES, text);
}
