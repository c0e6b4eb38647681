interface CatalogueRow {
  readonly status: number;
  /** Whether a failed operation with this code is an event of the audit log, once the request has come that far. */
  readonly recorded: boolean;
}

/** Every error code that the service answers. There are no others. */
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
  invalid_allowed_ips: { status: 400, recorded: false },
  unauthorized: { status: 401, recorded: false },
  billing_required: { status: 402, recorded: true },
  api_key_required: { status: 403, recorded: false },
  session_required: { status: 403, recorded: false },
  ip_not_allowed: { status: 403, recorded: false },
  key_not_allowed: { status: 403, recorded: true },
  action_not_allowed: { status: 403, recorded: true },
  no_tenant: { status: 403, recorded: false },
  not_found: { status: 404, recorded: false },
  method_not_allowed: { status: 405, recorded: false },
  key_pending_deletion: { status: 409, recorded: true },
  key_exists: { status: 409, recorded: true },
  free_key_exists: { status: 409, recorded: true },
  not_pending_deletion: { status: 409, recorded: true },
  restore_window_closed: { status: 409, recorded: true },
  container_exists: { status: 409, recorded: false },
  container_is_default: { status: 409, recorded: false },
  container_not_empty: { status: 409, recorded: false },
  firewall_exists: { status: 409, recorded: false },
  firewall_in_use: { status: 409, recorded: false },
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

/** The codes in the order of the catalogue. */
export const ERROR_CODES = Object.keys(CATALOGUE).filter(isErrorCode);

/** Whether `text` is a code of the catalogue. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(CATALOGUE, text);
}

interface Details {
  /** What went wrong underneath: for the log, never for the client. */
  readonly cause?: unknown;
  /** The two further fields of `ops_cap_reached`. */
  readonly body?: { readonly cap: number; readonly resets_at: string };
  /** `405` names the methods that the path has. */
  readonly allow?: readonly string[];
  /** The connection is closed after the answer: the request's body was not read to its end. */
  readonly closes?: true;
  /** `false` where the failure is that a row could not be written: a second attempt would say the same. */
  readonly recorded?: false;
}

/** A refusal or failure as the client sees it. `message` is public. */
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

/** Whatever was thrown, as an {@link ApiError}: a stranger becomes a mute `internal_error`. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : internalError(thrown);
}

/** `500`: the cause goes to the log, the client learns nothing of it. */
export function internalError(cause: unknown): ApiError {
  return new ApiError('internal_error', 'internal error', { cause });
}

/** The `500` of an audit row that could not be written: nothing is gained by recording it. */
export function rowNotWritten(cause: unknown): ApiError {
  return new ApiError('internal_error', 'internal error', { cause, recorded: false });
}

/** `404`, the same for all that cannot be reached: unknown, destroyed, another tenant's, another container's. */
export function notFound(): ApiError {
  return new ApiError('not_found', 'not found');
}

/** `401`, with one message for every cause. */
export function unauthorized(cause?: unknown): ApiError {
  return new ApiError('unauthorized', 'missing or invalid credentials', { cause });
}

/** The one error body of the service. */
export function viewError(error: ApiError, requestId: string) {
  return { error: error.code, message: error.message, request_id: requestId, ...error.details.body };
}
