/** What `error` of an answer says beside its message. https://docs.stripe.com/api/errors */
export interface ErrorDetail {
  readonly type?: StripeError['type'];
  readonly code?: string;
  readonly param?: string;
}

/** An error of Stripe's API: the answer's status, and the fields of its `error`. */
export class StripeError extends Error {
  readonly status: number;
  readonly type: 'api_error' | 'idempotency_error' | 'invalid_request_error';
  readonly code: string | undefined;
  readonly param: string | undefined;

  /** `type` is `invalid_request_error` unless the detail says otherwise. */
  constructor(status: number, message: string, detail: ErrorDetail = {}) {
    super(message);
    this.status = status;
    this.type = detail.type ?? 'invalid_request_error';
    this.code = detail.code;
    this.param = detail.param;
  }
}

/** The 400 for a malformed request or one that the state does not allow. */
export function invalidRequest(message: string, detail: Omit<ErrorDetail, 'type'> = {}): StripeError {
  return new StripeError(400, message, detail);
}

/** The body of the answer. */
export function viewError({ type, code, message, param }: StripeError) {
  return { error: { type, code, message, param } };
}
