interface CatalogueRow {
  readonly status: number;
  /** Whether the audit log can contain operations that failed with this code. */
  readonly recorded: boolean;
}

/** Every error code, with its HTTP status. */
export const CATALOGUE = {
  invalid_request: { status: 400, recorded: true },
  invalid_base64: { status: 400, recorded: true },
  invalid_dek_length: { status: 400, recorded: true },
  invalid_ciphertext: { status: 400, recorded: true },
  invalid_name: { status: 400, recorded: true },
  invalid_tier: { status: 400, recorded: true },
  invalid_container: { status: 400, recorded: true },
  invalid_query: { status: 400, recorded: false },
  invalid_period: { status: 400, recorded: false },
  invalid_allowed_actions: { status: 400, recorded: false },
  invalid_key_ids: { status: 400, recorded: false },
  invalid_firewall: { status: 400, recorded: false },
  invalid_expires_at: { status: 400, recorded: false },
  invalid_federations: { status: 400, recorded: false },
  invalid_allowed_ips: { status: 400, recorded: false },
  invalid_role: { status: 400, recorded: false },
  unauthorized: { status: 401, recorded: false },
  billing_required: { status: 402, recorded: true },
  api_key_required: { status: 403, recorded: false },
  session_required: { status: 403, recorded: false },
  ip_not_allowed: { status: 403, recorded: false },
  key_not_allowed: { status: 403, recorded: true },
  action_not_allowed: { status: 403, recorded: true },
  role_not_allowed: { status: 403, recorded: true },
  no_tenant: { status: 403, recorded: false },
  not_found: { status: 404, recorded: false },
  method_not_allowed: { status: 405, recorded: false },
  key_pending_deletion: { status: 409, recorded: true },
  key_frozen: { status: 409, recorded: true },
  key_exists: { status: 409, recorded: true },
  free_key_exists: { status: 409, recorded: true },
  not_pending_deletion: { status: 409, recorded: true },
  restore_window_closed: { status: 409, recorded: true },
  container_exists: { status: 409, recorded: false },
  container_is_default: { status: 409, recorded: false },
  container_not_empty: { status: 409, recorded: false },
  firewall_exists: { status: 409, recorded: false },
  firewall_in_use: { status: 409, recorded: false },
  already_member: { status: 409, recorded: false },
  last_owner: { status: 409, recorded: false },
  limit_reached: { status: 409, recorded: true },
  billing_active: { status: 409, recorded: false },
  billing_not_set_up: { status: 409, recorded: false },
  payload_too_large: { status: 413, recorded: false },
  unsupported_media_type: { status: 415, recorded: true },
  rate_limited: { status: 429, recorded: false },
  ops_cap_reached: { status: 429, recorded: true },
  internal_error: { status: 500, recorded: true },
  unavailable: { status: 503, recorded: true },
} as const satisfies Record<string, CatalogueRow>;

export type ErrorCode = keyof typeof CATALOGUE;

export const ERROR_CODES = Object.keys(CATALOGUE).filter(isErrorCode);

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CATALOGUE, text);
}

interface Details {
  /** The underlying error, for the log. Callers do not see it. */
  readonly cause?: unknown;
  readonly body?: { readonly cap: number; readonly resets_at: string };
  readonly allow?: readonly string[];
  /** Whether to close the connection after the answer, because the body was not read completely. */
  readonly closes?: true;
  /** Why the request was refused, for the log. Callers do not see it. */
  readonly reason?: string;
  /** `false` if an audit row could not be written, so that the service does not try again. */
  readonly recorded?: false;
}

/** An error for callers: a code for programs, and a message for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: Details;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return CATALOGUE[this.code].status;
  }

  get recorded(): boolean {
    return this.details.recorded ?? CATALOGUE[this.code].recorded;
  }
}

/** Converts any error to an `ApiError`. An unknown error becomes an `internal_error` without detail. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : internalError(thrown);
}

export function internalError(cause: unknown): ApiError {
  return new ApiError('internal_error', 'internal error', { cause });
}

/** Returns an `internal_error` that is not recorded, because writing the audit row has failed. */
export function rowNotWritten(cause: unknown): ApiError {
  return new ApiError('internal_error', 'internal error', { cause, recorded: false });
}

/** Returns the same error for objects that are unknown, destroyed, or in another tenant or container. */
export function notFound(message = 'not found'): ApiError {
  return new ApiError('not_found', message);
}

/**
 * Returns an error with the same message for every cause, so that callers learn nothing about the credential. `reason`
 * is for the log, and must not contain any part of the credential.
 */
export function unauthorized(cause?: unknown, reason?: string): ApiError {
  return new ApiError('unauthorized', 'missing or invalid credentials', { cause, ...(reason && { reason }) });
}

export function viewError(error: ApiError, requestId: string) {
  return { error: error.code, message: error.message, request_id: requestId, ...error.details.body };
}
