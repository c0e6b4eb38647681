import type { ApiErrorCode } from '../errors.ts';

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
