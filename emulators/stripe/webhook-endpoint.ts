import { request } from 'node:http';
import { signPayload } from './signature.ts';

const answerWithinMs = 10_000;

/** The one endpoint that an account sends its events to. */
export type WebhookEndpoint = { readonly url: string; readonly secret: string };

/** How an attempt to deliver went: a 2xx, anything else that was answered or took too long, or no connection. */
export type Attempt = 'delivered' | 'refused' | 'unreachable';

/** Sends an event once, signed at `timestamp` in seconds. */
export function sendEvent(
  endpoint: WebhookEndpoint,
  event: object,
  timestamp: number,
  closing: AbortSignal,
): Promise<Attempt> {
  const payload = JSON.stringify(event);
  const tooLate = AbortSignal.timeout(answerWithinMs);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(payload),
    'stripe-signature': signPayload(payload, endpoint.secret, timestamp),
    'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
  };
  return new Promise((resolve) => {
    // A connection of its own: one kept from before the endpoint's restart would fail.
    const options = { method: 'POST', headers, agent: false, signal: AbortSignal.any([closing, tooLate]) };
    const outgoing = request(endpoint.url, options, (response) => {
      const status = response.statusCode ?? 0;
      response.resume();
      response.on('close', () => resolve(status >= 200 && status < 300 ? 'delivered' : 'refused'));
    });
    outgoing.on('error', () => resolve(tooLate.aborted ? 'refused' : 'unreachable'));
    outgoing.end(payload);
  });
}
