import http from 'node:http';
import https from 'node:https';
import type Stripe from 'stripe';
import { splitAddress } from '../base/socket-address.ts';
import { DEADLINES_MS } from '../deadlines.ts';

/** Loads Stripe's client on demand, because loading is slow. `emulatorHost` is `host:port`. */
export async function loadStripe(secretKey: string, emulatorHost: string | undefined): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  const { Agent } = emulatorHost === undefined ? https : http;
  const httpClient = Stripe.createNodeHttpClient(new Agent({ keepAlive: true, timeout: DEADLINES_MS.idle }));
  const common = { timeout: DEADLINES_MS.stripe, telemetry: false, httpClient } as const;
  if (emulatorHost === undefined) return new Stripe(secretKey, { ...common, maxNetworkRetries: 1 });
  const [host, port] = splitAddress(emulatorHost);
  return new Stripe(secretKey, { ...common, maxNetworkRetries: 0, protocol: 'http', host, port });
}
