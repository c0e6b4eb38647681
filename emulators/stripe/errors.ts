/** The fields of an error besides its message (https://docs.stripe.com/api/errors). */
export interface ErrorDetail {
  readonly type?: StripeError['type'];
  readonly code?: string;
  readonly param?: string;
}

export class StripeError extends Error {
  readonly status: number;
  readonly type: 'api_error' | 'idempotency_error' | 'invalid_request_error';
  readonly code: string | undefined;
  readonly param: string | undefined;

  /** The default for `type` is `invalid_request_error`. */
  constructor(status: number, message: string, detail: ErrorDetail = {}) {
    super(message);
    this.status = status;
    this.type = detail.type ?? 'invalid_request_error';
    this.code = detail.code;
    this.param = detail.param;
  }
}

/** Returns the 400 for a malformed request, or for a request that the state does not allow. */
export function invalidRequest(message: string, detail: Omit<ErrorDetail, 'type'> = {}): StripeError {
  return new StripeError(400, message, detail);
}

export function viewError({ type, code, message, param }: StripeError) {
  return { error: { type, code, message, param } };
}
