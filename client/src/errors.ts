import { API_CODES } from './api/generated.ts';

/** A code that the service answers. */
export type ApiErrorCode = (typeof API_CODES)[number];

/**
 * A code of the library's own:
 * - `unreachable`: no connection came about, so the service was asked nothing;
 * - `answer_lost`: the service may have done what it was asked, its answer did not arrive;
 * - `deadline_exceeded`: the time of the call is over; what the service had begun by then, it finishes;
 * - `aborted`: the call's signal was aborted; the same;
 * - `invalid_answer`: what came is no answer of the service, as of another server or of a version not known here.
 */
export type ClientErrorCode = 'unreachable' | 'answer_lost' | 'deadline_exceeded' | 'aborted' | 'invalid_answer';

/** Every code of {@link EncryptionServiceError}. */
export type ErrorCode = ApiErrorCode | ClientErrorCode;

/** What an error carries beside code and message; what is not known is left out. */
export interface ErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryable?: boolean | undefined;
  readonly resetsAt?: Date | undefined;
  readonly cause?: unknown;
}

/** Why a call failed. Decide by `code`; the message is for people. */
export class EncryptionServiceError extends Error {
  override readonly name = 'EncryptionServiceError';
  readonly code: ErrorCode;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** What the service calls the request in its log and in the audit log; the same for every attempt of a call. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed later and does no harm if it is made again. */
  readonly retryable: boolean;
  /** With `ops_cap_reached`: when the key's operations are let through again. */
  readonly resetsAt: Date | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryable = details.retryable ?? false;
    this.resetsAt = details.resetsAt;
  }
}

/** Whether `text` is a code that the service answers. */
export function isApiErrorCode(text: unknown): text is ApiErrorCode {
  return API_CODES.some((code) => code === text);
}
