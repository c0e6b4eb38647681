import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen, portOf } from '../base/listen.ts';
import type { Account } from './account.ts';
import { answerApi } from './api.ts';
import { advanceBilling } from './billing-cycle.ts';
import type { SubscriptionStatus } from './objects.ts';
import { Outbox } from './outbox.ts';
import { answerPage } from './pages.ts';
import { openStore } from './store.ts';
import { type InvoiceSummary, invoicesOf, setTenantSubscription } from './tenants.ts';

/** What the emulator is started with. */
export interface StripeOptions {
  /** Where to listen on 127.0.0.1; 0 picks a free port. */
  readonly port: number;
  /** The JSON file that keeps the state between runs; without it the state is only in memory. */
  readonly file?: string;
  /** The time in milliseconds since the epoch. */
  readonly now: () => number;
  /** The API key that requests must carry. */
  readonly secretKey: string;
  /** The key of the webhooks' signatures. */
  readonly webhookSecret: string;
  /** The price of the subscriptions that `setSubscription` makes and changes. */
  readonly priceId: string;
  /** Where webhooks go, an http URL. */
  readonly webhookUrl: string;
}

/** A running emulator, and what the stack's control API does with it. */
export interface StripeEmulator {
  readonly port: number;
  /** Stops listening and delivering. Undelivered events stay in the state. */
  stop(): Promise<void>;
  /**
   * Sets the status of the tenant's subscription at the price; `none` ends it. Resolves when the webhooks have been
   * tried.
   */
  setSubscription(tenantId: string, status: SubscriptionStatus | 'none'): Promise<void>;
  /** The tenant's invoices, oldest first. */
  invoices(tenantId: string): InvoiceSummary[];
  /** Brings billing up to the clock. Resolves when the webhooks have been tried. */
  advance(): Promise<void>;
}

/**
 * Starts the part of Stripe's API that the service uses. Rejects with the code `EADDRINUSE` when the port is taken, and
 * when `file` does not hold a state.
 */
export async function startStripe(options: StripeOptions): Promise<StripeEmulator> {
  const store = openStore(options.file);
  const now = () => Math.floor(options.now() / 1000);
  const outbox = new Outbox(store, { url: options.webhookUrl, secret: options.webhookSecret }, now);
  const server = createServer();
  await listen(server, options.port);
  const port = portOf(server);
  const account: Account = { state: store.state, now, baseUrl: `http://127.0.0.1:${port}` };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '/', headers } = request;
    const body = await text(request);
    // No `await` from here to the save, so that requests are carried out one after another.
    advanceBilling(account);
    const [path = '', ...query] = url.split('?');
    const page = answerPage(account, method, path);
    if (page !== undefined) {
      store.save();
      // The redirect after a pressed button waits for the webhooks, so that the service knows when the person is back.
      await outbox.flushNew();
      if ('location' in page) response.writeHead(303, { location: page.location }).end();
      else response.writeHead(page.status, { 'content-type': 'text/html; charset=utf-8' }).end(page.html);
      return;
    }
    const reply = answerApi(account, options.secretKey, { method, path, query: query.join('?'), body, headers });
    store.save();
    response.writeHead(reply.status, reply.headers).end(reply.body);
    // After the answer: the endpoint of the events may be the client that waits for it.
    await outbox.flushNew();
  };

  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`Stripe emulator: ${error instanceof Error ? error.stack : error}\n`);
      response.destroy();
    });
  });

  const settle = async (change: () => void): Promise<void> => {
    advanceBilling(account);
    change();
    store.save();
    await outbox.flush();
  };

  return {
    port,
    async stop() {
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
