import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen, portOf } from '../base/listen.ts';
import { type Account, createCustomer } from './account.ts';
import { answerApi, answerPage } from './api.ts';
import { expireSession } from './checkout.ts';
import { finalizeInvoice, itemsOf, openInvoice } from './invoices.ts';
import { type Invoice, openStore, type State, type Subscription, type SubscriptionStatus } from './objects.ts';
import { Outbox } from './outbox.ts';
import { beginNextPeriod, changeStatus, isAtPrice, isOpen, startSubscription } from './subscriptions.ts';

interface StripeOptions {
  /** The port on 127.0.0.1. 0 picks a free port. */
  readonly port: number;
  /** The JSON file in which the state is saved. Without a file, the state is only in memory. */
  readonly file?: string | undefined;
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
      await Promise.all([close(server), outbox.close()]);
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

/** An invoice. Amounts are in cents. */
interface InvoiceSummary {
  readonly id: string;
  /** The billed UTC month, as `YYYY-MM`. */
  readonly period: string;
  readonly status: Invoice['status'];
  readonly lines: readonly { readonly amount: number; readonly description: string | null }[];
  readonly total: number;
}

/**
 * Gives the tenant's subscription a status. Creates a customer and a subscription if needed. `none` cancels and removes
 * the tenant's subscriptions.
 */
function setTenantSubscription(
  account: Account,
  price: string,
  tenantId: string,
  wanted: SubscriptionStatus | 'none',
): void {
  const { state } = account;
  const [customer] = customersOf(state, tenantId);
  const known = state.subscriptions.filter((one) => one.customer === customer?.id && isAtPrice(one, price));
  if (wanted === 'none') {
    for (const subscription of known) changeStatus(account, subscription, 'canceled');
    state.subscriptions = state.subscriptions.filter((one) => !known.includes(one));
    return;
  }
  const latest = known.findLast(isOpen) ?? known.at(-1);
  if (latest !== undefined && (isOpen(latest) || latest.status === wanted)) {
    changeStatus(account, latest, wanted);
    return;
  }
  const metadata = { tenant_id: tenantId };
  const holder = customer ?? createCustomer(account, metadata);
  const status = wanted === 'canceled' ? 'active' : wanted;
  const started = startSubscription(account, { customer: holder.id, prices: [price], metadata, status });
  if (wanted === 'canceled') changeStatus(account, started, wanted);
}

function invoicesOf(state: State, tenantId: string): InvoiceSummary[] {
  const customers = customersOf(state, tenantId).map(({ id }) => id);
  return state.invoices
    .filter(({ customer }) => customers.includes(customer))
    .map((invoice) => ({
      id: invoice.id,
      // The service stores the month in the metadata of the invoices that it creates. For an invoice of Stripe's
      // billing cycle, the month is that of its period.
      period: invoice.metadata.period ?? new Date(invoice.period_start * 1000).toISOString().slice(0, 7),
      status: invoice.status,
      lines: itemsOf(state, invoice).map(({ amount, description }) => ({ amount, description })),
      total: invoice.total,
    }));
}

/** Returns the customers whose metadata names the tenant, oldest first. Only the first of them gets subscriptions. */
function customersOf(state: State, tenantId: string) {
  return state.customers.filter(({ metadata }) => metadata.tenant_id === tenantId);
}

const INVOICED: readonly SubscriptionStatus[] = ['active', 'past_due', 'trialing'];
/**
 * How long events and answers are kept, from https://docs.stripe.com/api/events and
 * https://docs.stripe.com/api/idempotent_requests
 */
const EVENT_S = 30 * 86_400;
const IDEMPOTENCY_S = 24 * 3600;

/**
 * Makes all changes that Stripe would have made by now, such as closing periods and finalizing invoices. Does not send
 * webhooks.
 */
function advanceBilling(account: Account): void {
  const { state } = account;
  const now = account.now();
  for (const subscription of state.subscriptions) closePeriods(account, subscription);
  for (const invoice of state.invoices) {
    if ((invoice.automatically_finalizes_at ?? Infinity) <= now) finalizeInvoice(account, invoice);
  }
  for (const session of state.checkout_sessions) {
    if (session.status === 'open' && session.expires_at <= now) expireSession(account, session);
  }
  state.events = state.events.filter((event) => event.created >= now - EVENT_S || event.pending_webhooks > 0);
  state.idempotent_answers = state.idempotent_answers.filter(({ created }) => created >= now - IDEMPOTENCY_S);
}

/**
 * Closes all periods of a subscription that have ended, and opens their invoices. Each draft invoice is created now, so
 * it can still be changed for a full hour.
 */
function closePeriods(account: Account, subscription: Subscription): void {
  while (isOpen(subscription) && subscription.items.data[0].current_period_end <= account.now()) {
    const ended = beginNextPeriod(subscription);
    if (!INVOICED.includes(subscription.status)) continue;
    openInvoice(account, {
      auto_advance: true,
      billing_reason: 'subscription_cycle',
      customer: subscription.customer,
      description: null,
      metadata: {},
      period_start: ended.start,
      period_end: ended.end,
    });
  }
}
