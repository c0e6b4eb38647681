import type { Instant } from '../base/clock.ts';
import { ApiError } from '../errors.ts';

/** How far a signature's time may be from ours: Stripe's own recommendation, in seconds. */
export const TOLERANCE_S = 300;

const TIME = /^t=(\d{1,12})$/;
const HASH = /^v1=[0-9a-f]{64}$/;

/**
 * Refuses (`invalid_request`), before the event is read, a `stripe-signature` that no event can have: not of the form
 * `t=…,v1=…`, or of another time than now. Whether the event has it is checked once that is there.
 */
export function refuseHopelessSignature(signature: string, receivedAt: Instant): void {
  const parts = signature.split(',');
  const [, time] = parts.map((part) => TIME.exec(part)).find((match) => match !== null) ?? [];
  const isSigned = time !== undefined && parts.some((part) => HASH.test(part));
  if (!isSigned || Math.abs(receivedAt / 1_000_000 - Number(time)) > TOLERANCE_S) throw badSignature();
}

/** `400`: one message, whatever is wrong with the signature. */
export function badSignature(): ApiError {
  return new ApiError('invalid_request', 'the webhook signature does not verify');
}
