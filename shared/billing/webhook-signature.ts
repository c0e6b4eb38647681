import type { Instant } from '../base/clock.ts';
import { ApiError } from '../errors.ts';

/** How far a signature's time may differ from ours, in seconds: Stripe's recommendation. */
export const TOLERANCE_S = 300;

const TIME = /^t=(\d{1,12})$/;
const HASH = /^v1=[0-9a-f]{64}$/;

/** Throws `invalid_request`, before the body is read, for a `stripe-signature` that is malformed or outside the tolerance. */
export function refuseHopelessSignature(signature: string, receivedAt: Instant): void {
  const parts = signature.split(',');
  const [, time] = parts.map((part) => TIME.exec(part)).find((match) => match !== null) ?? [];
  const isSigned = time !== undefined && parts.some((part) => HASH.test(part));
  if (!isSigned || Math.abs(receivedAt / 1_000_000 - Number(time)) > TOLERANCE_S) throw badSignature();
}

export function badSignature(): ApiError {
  return new ApiError('invalid_request', 'the webhook signature is not valid');
}
