import { createServer } from 'node:http';
import type { Account } from './account.ts';
import { advanceBilling } from './billing-cycle.ts';
import { close, listen } from './http.ts';
import { type InvoiceSummary, summarizeInvoice } from './invoice-summary.ts';
import { makeListener } from './listener.ts';
import { openOutbox } from './outbox.ts';
import type { SubscriptionStatus } from './records.ts';
import { openStore } from './store.ts';
import { setTenantSubscription } from './tenant-subscription.ts';
import { invoicesOf } from './tenants.ts';

export type { InvoiceSummary } from './invoice-summary.ts';
export type { SubscriptionStatus } from './records.ts';

export type StripeOptions = {
  /** Where to listen on 127.0.0.1; 0 picks a free port. */
  port: number;
  /** A JSON file that keeps the state between runs; without it the state is in memory alone. */
  file?: string;
  /** The time in milliseconds since the epoch. */
  now: () => number;
  /** The API key that requests must carry. */
  secretKey: string;
  /** What webhooks are signed with. */
  webhookSecret: string;
  /** The price of the subscriptions that the local stack's control makes and changes. */
  priceId: string;
  /** Where webhooks go, an http URL. */
  webhookUrl: string;
};

/** A running emulator and what the local stack's control can ask of it. */
export type StripeEmulator = {
  readonly port: number;
  /** Stops listening and delivering; undelivered events stay in the state. */
  stop(): Promise<void>;
  /** Puts the tenant's subscription at the price in a status (`none`: ends it); resolves when the webhooks have been tried. */
  setSubscription(tenantId: string, status: SubscriptionStatus | 'none'): Promise<void>;
  /** The tenant's invoices, oldest first. */
  invoices(tenantId: string): InvoiceSummary[];
  /** Brings billing up to the clock; resolves when the webhooks have been tried. */
  advance(): Promise<void>;
};

/**
 * Starts the part of Stripe's API that a subscription business with computed invoice items uses.
 * Rejects with code `EADDRINUSE` when the port is taken, and when `file` holds something else than a state.
 */
export async function startStripe(options: StripeOptions): Promise<StripeEmulator> {
  const store = openStore(options.file);
  const now = () => Math.floor(options.now() / 1000);
  const outbox = openOutbox(store, { url: options.webhookUrl, secret: options.webhookSecret }, now);
  const server = createServer();
  const port = await listen(server, options.port);
  const account: Account = {
    state: store.state,
    now,
    baseUrl: `http://127.0.0.1:${port}`,
    origin: { requestId: null, idempotencyKey: null },
  };
  server.on('request', makeListener({ account, store, outbox, secretKey: options.secretKey }));

  async function settle(): Promise<void> {
    store.save();
    await outbox.flush();
  }

  return {
    port,
    stop: async () => {
      await Promise.all([close(server), outbox.close()]);
    },
    setSubscription: async (tenantId, status) => {
      advanceBilling(account);
      setTenantSubscription(account, options.priceId, tenantId, status);
      await settle();
    },
    invoices: (tenantId) => {
      const found = invoicesOf(store.state, tenantId);
      return found.map((invoice) => summarizeInvoice(store.state, invoice));
    },
    advance: async () => {
      advanceBilling(account);
      await settle();
    },
  };
}
