/** The kinds of error that Stripe names in `error.type`. */
export type StripeErrorType = 'api_error' | 'idempotency_error' | 'invalid_request_error';

/** A refusal in Stripe's terms. https://docs.stripe.com/api/errors */
export class StripeError extends Error {
  readonly status: number;
  readonly type: StripeErrorType;
  readonly code: string | undefined;
  readonly param: string | undefined;

  constructor(status: number, message: string, detail: { type?: StripeErrorType; code?: string; param?: string } = {}) {
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

/** An id that names nothing: 404 where it stands in the path (`param` is `id`), 400 in a parameter. */
export function resourceMissing(kind: string, id: string, param = 'id'): StripeError {
  const status = param === 'id' ? 404 : 400;
  return new StripeError(status, `No such ${kind}: '${id}'`, { code: 'resource_missing', param });
}

/** The body of an error answer. */
export function viewError(error: StripeError) {
  const { type, code, message, param } = error;
  return { error: { type, code, message, param } };
}
