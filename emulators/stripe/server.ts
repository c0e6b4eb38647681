import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, portOf } from '../stack/listen.ts';
import type { Account } from './account.ts';
import { answerApi } from './api.ts';
import { advanceBilling } from './billing-cycle.ts';
import type { SubscriptionStatus } from './objects.ts';
import { Outbox } from './outbox.ts';
import { answerPage } from './pages.ts';
import { openStore } from './store.ts';
import { type InvoiceSummary, invoicesOf, setTenantSubscription } from './tenants.ts';

export interface StripeOptions {
  /** Where to listen on 127.0.0.1; 0 picks a free port. */
  readonly port: number;
  /** A JSON file that keeps the state between runs; without it the state is in memory alone. */
  readonly file?: string;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  /** The API key that requests must carry. */
  readonly secretKey: string;
  /** What webhooks are signed with. */
  readonly webhookSecret: string;
  /** The price of the subscriptions that the local stack's control makes and changes. */
  readonly priceId: string;
  /** Where webhooks go, an http URL. */
  readonly webhookUrl: string;
}

/** A running emulator and what the local stack's control can ask of it. */
export interface StripeEmulator {
  readonly port: number;
  /** Stops listening and delivering; undelivered events stay in the state. */
  readonly stop: () => Promise<void>;
  /** Puts the tenant's subscription at the price in a status (`none`: ends it). Resolves when the webhooks have been tried. */
  readonly setSubscription: (tenantId: string, status: SubscriptionStatus | 'none') => Promise<void>;
  /** The tenant's invoices, oldest first. */
  readonly invoices: (tenantId: string) => InvoiceSummary[];
  /** Brings billing up to the clock. Resolves when the webhooks have been tried. */
  readonly advance: () => Promise<void>;
}

/**
 * Starts the part of Stripe's API that the service uses. Rejects with code `EADDRINUSE` when the port is taken, and when
 * `file` holds something else than a state.
 */
export async function startStripe(options: StripeOptions): Promise<StripeEmulator> {
  const store = openStore(options.file);
  const now = () => Math.floor(options.now() / 1000);
  const outbox = new Outbox(store, { url: options.webhookUrl, secret: options.webhookSecret }, now);
  const server = createServer();
  await listen(server, options.port);
  const port = portOf(server);
  const account: Account = { state: store.state, now, baseUrl: `http://127.0.0.1:${port}` };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', headers } = request;
    const body = await text(request);
    // From here to the save nothing waits: requests are carried out one after the other.
    advanceBilling(account);
    const [path = '', ...query] = url.split('?');
    const page = answerPage(account, method, path);
    if (page !== undefined) {
      store.save();
      // A person who has pressed a button is sent on once the service has heard of it.
      await outbox.flushNew();
      if ('location' in page) response.writeHead(303, { location: page.location }).end();
      else response.writeHead(page.status, { 'content-type': 'text/html; charset=utf-8' }).end(page.html);
      return;
    }
    const reply = answerApi(account, options.secretKey, { method, path, query: query.join('?'), body, headers });
    store.save();
    response.writeHead(reply.status, reply.headers).end(reply.body);
    // Not waited for: whoever receives the events may be the one who asked.
    await outbox.flushNew();
  }

  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`Stripe emulator: ${error instanceof Error ? error.stack : error}\n`);
      response.destroy();
    });
  });

  async function settle(change: () => void): Promise<void> {
    advanceBilling(account);
    change();
    store.save();
    await outbox.flush();
  }

  return {
    port,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, outbox.close()]);
    },
    setSubscription: (tenantId, status) =>
      settle(() => setTenantSubscription(account, options.priceId, tenantId, status)),
    invoices: (tenantId) => invoicesOf(store.state, tenantId),
    advance: () => settle(() => undefined),
  };
}
