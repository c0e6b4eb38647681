import { randomBytes } from 'node:crypto';
import type { State } from './objects.ts';

export interface Account {
  readonly state: State;
  /** Returns whole seconds since the epoch. */
  readonly now: () => number;
  /** The URL of the hosted pages, without a trailing slash. */
  readonly baseUrl: string;
}

export function newId(prefix: 'bps' | 'cs_test' | 'cus' | 'evt' | 'ii' | 'in' | 'req' | 'si' | 'sub'): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/**
 * Returns the object with this id. If it does not exist, throws {@link StripeError}: 404 if the id is from the path, or
 * 400 if it is from the parameter `param`.
 */
export function load<Stored extends { id: string }>(
  list: readonly Stored[],
  kind: string,
  id: string,
  param?: string,
): Stored {
  const found = list.find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  const detail = { code: 'resource_missing', param: param ?? 'id' };
  throw new StripeError(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, detail);
}

/** The fields of an error in addition to its message (https://docs.stripe.com/api/errors). */
interface ErrorDetail {
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
