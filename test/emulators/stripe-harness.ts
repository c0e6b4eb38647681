import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import Stripe from 'stripe';
import { onTestFinished } from 'vitest';
import { listen, portOf } from '../../emulators/base/listen.ts';
import { type StripeEmulator, startStripe } from '../../emulators/stripe/server.ts';

export const secretKey = 'sk_test_local';
export const webhookSecret = 'whsec_local';
/** The price of the subscriptions that the control API makes. */
export const priceId = 'price_local';

/** A webhook endpoint that checks signatures as the service does, against the emulator's clock. */
export type Receiver = {
  url: string;
  events: Stripe.Event[];
  /** The HTTP statuses of the next answers. While the list is empty, the endpoint accepts events. */
  statuses: number[];
  stop: () => void;
};

/** A clock that a test sets, in milliseconds. */
export type Clock = { now: number };

export type Harness = { emulator: StripeEmulator; stripe: Stripe; clock: Clock; receiver: Receiver };

/** Returns a time in milliseconds since the epoch. */
export const at = (time: string): number => Date.parse(time);
/** Returns a time in seconds since the epoch, as in Stripe’s API. */
export const unix = (time: string): number => Date.parse(time) / 1000;

/** Returns an instance of Stripe’s library that sends its requests to the emulator. */
export function connect(port: number, key = secretKey): Stripe {
  return new Stripe(key, { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}

/** Starts an emulator at noon on 15 November 2026, with a receiver of its webhooks, until the test ends. */
export async function startHarness(options: { file?: string; clock?: Clock } = {}): Promise<Harness> {
  const clock = options.clock ?? { now: at('2026-11-15T12:00:00Z') };
  const receiver = await startReceiver(clock);
  const emulator = await startStripe({
    port: 0,
    ...(options.file === undefined ? {} : { file: options.file }),
    now: () => clock.now,
    secretKey,
    webhookSecret,
    priceId,
    webhookUrl: receiver.url,
  });
  onTestFinished(() => emulator.stop());
  return { emulator, stripe: connect(emulator.port), clock, receiver };
}

/** Returns the id of the customer of the tenant `t1`. Creates the customer if it does not exist. */
export async function customerOf({ stripe }: Pick<Harness, 'stripe'>): Promise<string> {
  const known = (await stripe.customers.list()).data.find(({ metadata }) => metadata.tenant_id === 't1');
  return (known ?? (await stripe.customers.create({ metadata: { tenant_id: 't1' } }))).id;
}

async function startReceiver(clock: Clock): Promise<Receiver> {
  const verifier = new Stripe(secretKey);
  const server = createServer(async (request, response) => {
    const payload = await text(request);
    const signature = String(request.headers['stripe-signature']);
    response.writeHead(receiver.statuses.shift() ?? receive(payload, signature)).end();
  });
  await listen(server, 0);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${portOf(server)}/v1/webhooks/stripe`,
    events: [],
    statuses: [],
    stop: () => server.close().closeAllConnections(),
  };

  // An event that was signed before the clock moved is refused as too old. The emulator signs it again to redeliver it.
  function receive(payload: string, signature: string): number {
    try {
      const { webhooks } = verifier;
      receiver.events.push(webhooks.constructEvent(payload, signature, webhookSecret, 300, undefined, clock.now));
      return 200;
    } catch {
      return 400;
    }
  }
  onTestFinished(() => receiver.stop());
  return receiver;
}
