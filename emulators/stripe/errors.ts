/** A refusal in Stripe's terms: a status, and what `error` of the answer says. https://docs.stripe.com/api/errors */
export class StripeError extends Error {
  readonly status: number;
  readonly type: 'api_error' | 'idempotency_error' | 'invalid_request_error';
  readonly code: string | undefined;
  readonly param: string | undefined;

  constructor(
    status: number,
    message: string,
    detail: { type?: StripeError['type']; code?: string; param?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.type = detail.type ?? 'invalid_request_error';
    this.code = detail.code;
    this.param = detail.param;
  }
}

/** A request that Stripe refuses as it stands: 400. */
export function invalidRequest(message: string, detail: { code?: string; param?: string } = {}): StripeError {
  return new StripeError(400, message, detail);
}

/** The body of an error's answer. */
export function viewError({ type, code, message, param }: StripeError) {
  return { error: { type, code, message, param } };
}
