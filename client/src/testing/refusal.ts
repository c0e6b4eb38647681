import type { ApiErrorCode } from '../errors.ts';

/** The HTTP status of every error code. */
export const STATUS: Readonly<Record<ApiErrorCode, number>> = {
  invalid_request: 400,
  invalid_base64: 400,
  invalid_dek_length: 400,
  invalid_ciphertext: 400,
  invalid_name: 400,
  invalid_tier: 400,
  invalid_container: 400,
  invalid_query: 400,
  invalid_period: 400,
  invalid_allowed_actions: 400,
  invalid_key_ids: 400,
  invalid_firewall: 400,
  invalid_allowed_ips: 400,
  invalid_role: 400,
  unauthorized: 401,
  billing_required: 402,
  api_key_required: 403,
  session_required: 403,
  ip_not_allowed: 403,
  key_not_allowed: 403,
  action_not_allowed: 403,
  role_not_allowed: 403,
  no_tenant: 403,
  not_found: 404,
  method_not_allowed: 405,
  key_pending_deletion: 409,
  key_exists: 409,
  free_key_exists: 409,
  not_pending_deletion: 409,
  restore_window_closed: 409,
  container_exists: 409,
  container_is_default: 409,
  container_not_empty: 409,
  firewall_exists: 409,
  firewall_in_use: 409,
  already_member: 409,
  last_owner: 409,
  limit_reached: 409,
  billing_active: 409,
  billing_not_set_up: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  ops_cap_reached: 429,
  internal_error: 500,
  unavailable: 503,
};

/** An answer with an error code. `more` are further fields of the body. */
export class Refusal extends Error {
  readonly code: ApiErrorCode;
  readonly more: object;

  constructor(code: ApiErrorCode, message: string, more: object = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}
