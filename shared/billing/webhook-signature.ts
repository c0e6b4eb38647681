import type { Instant } from '../base/clock.ts';
import { ApiError } from '../errors.ts';

/** Stripe's recommended tolerance for a signature's time, in seconds. */
export const TOLERANCE_S = 300;

const TIME = /^t=(\d{1,12})$/;
const HASH = /^v1=[0-9a-f]{64}$/;

/** Checks the format and the time of `stripe-signature` before the body is read. Throws `invalid_request`. */
export function refuseBadSignatureHeader(signature: string, receivedAt: Instant): void {
  const parts = signature.split(',');
  const [, time] = parts.map((part) => TIME.exec(part)).find((match) => match !== null) ?? [];
  const isSigned = time !== undefined && parts.some((part) => HASH.test(part));
  if (!isSigned || Math.abs(receivedAt / 1_000_000 - Number(time)) > TOLERANCE_S) throw badSignature();
}

export function badSignature(): ApiError {
  return new ApiError('invalid_request', 'the webhook signature is not valid');
}
