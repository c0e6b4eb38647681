import { createHmac } from 'node:crypto';

/** The `Stripe-Signature` header of a payload sent at a time in seconds. https://docs.stripe.com/webhooks/signature */
export function signPayload(payload: string, secret: string, timestamp: number): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}
