/** The fields of an error in addition to its message (https://docs.stripe.com/api/errors). */
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

  /** `type` is `invalid_request_error` by default. */
  constructor(status: number, message: string, detail: ErrorDetail = {}) {
    super(message);
    this.status = status;
    this.type = detail.type ?? 'invalid_request_error';
    this.code = detail.code;
    this.param = detail.param;
  }
}

/** Returns an error with status 400, for a request that is malformed or not allowed in the current state. */
export function invalidRequest(message: string, detail: Omit<ErrorDetail, 'type'> = {}): StripeError {
  return new StripeError(400, message, detail);
}

export function viewError({ type, code, message, param }: StripeError) {
  return { error: { type, code, message, param } };
}
