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

interface StripeOptions {
  /** The port on 127.0.0.1. 0 picks a free port. */
  readonly port: number;
  /** The JSON file in which the state is saved. Without a file, the state is only in memory. */
  readonly file?: string;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** The Stripe API key with which requests must authenticate. */
  readonly secretKey: string;
  /** The signing secret of the webhooks. */
  readonly webhookSecret: string;
  /** The price of the subscriptions that `setSubscription` creates. */
  readonly priceId: string;
  /** The URL that receives the webhooks. It must be an http URL. */
  readonly webhookUrl: string;
}

export interface StripeEmulator {
  readonly port: number;
  /** Stops the server and the delivery of events. Undelivered events stay in the state. */
  stop(): Promise<void>;
  /**
   * Sets the status of a tenant's subscription. `none` removes the subscription. Resolves after one attempt to deliver
   * the webhooks. With `lost`, the webhooks of this change are never sent.
   */
  setSubscription(tenantId: string, status: SubscriptionStatus | 'none', lost?: boolean): Promise<void>;
  /** Returns the tenant's invoices, oldest first. */
  invoices(tenantId: string): InvoiceSummary[];
  /** Makes all changes that Stripe would have made by now. Resolves after one attempt to deliver the webhooks. */
  advance(): Promise<void>;
}

/**
 * Starts a server for part of Stripe's API. Rejects with the code `EADDRINUSE` if the port is taken. Also rejects if
 * `file` is not a valid state file.
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
    // There must be no `await` before the save, so that requests run one at a time.
    advanceBilling(account);
    const [path = '', ...query] = url.split('?');
    const page = answerPage(account, method, path);
    if (page !== undefined) {
      store.save();
      // Deliver the webhooks before the redirect, so that the service already knows the result when the person returns
      // to it.
      await outbox.flushNew();
      if ('location' in page) response.writeHead(303, { location: page.location }).end();
      else response.writeHead(page.status, { 'content-type': 'text/html; charset=utf-8' }).end(page.html);
      return;
    }
    const reply = answerApi(account, options.secretKey, { method, path, query: query.join('?'), body, headers });
    store.save();
    response.writeHead(reply.status, reply.headers).end(reply.body);
    // Deliver the webhooks only after the answer, because their receiver may be waiting for this answer.
    await outbox.flushNew();
  };

  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`Stripe emulator: ${error instanceof Error ? error.stack : error}\n`);
      response.destroy();
    });
  });

  const changeAndDeliver = async (change: () => void): Promise<void> => {
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
    setSubscription: (tenantId, status, lost = false) =>
      changeAndDeliver(() => {
        const { events } = store.state;
        const before = events.length;
        setTenantSubscription(account, options.priceId, tenantId, status);
        if (lost) for (const event of events.slice(before)) event.pending_webhooks = 0;
      }),
    invoices: (tenantId) => invoicesOf(store.state, tenantId),
    advance: () => changeAndDeliver(() => undefined),
  };
}
