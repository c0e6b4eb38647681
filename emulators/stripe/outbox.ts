import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Event, Store } from './objects.ts';

/**
 * The waits in milliseconds before the second and the third attempt. Later attempts are made when other events are
 * sent.
 */
const BACKOFF_MS = [50, 200];
const ANSWER_MS = 10_000;

interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
}

/**
 * The result of an attempt. `refused` means a status other than 2xx, or no answer in time. `unreachable` means that the
 * connection failed.
 */
type Attempt = 'delivered' | 'refused' | 'unreachable';

/** Delivers an account's events in order. Sends an event again until the answer is 2xx. */
export class Outbox {
  readonly #store: Store;
  readonly #endpoint: WebhookEndpoint;
  readonly #now: () => number;
  readonly #closing = new AbortController();
  readonly #known = new WeakSet<Event>();
  #lastPass = Promise.resolve();
  #nextPass: Promise<void> | undefined;

  /** `now` returns seconds since the epoch. */
  constructor(store: Store, endpoint: WebhookEndpoint, now: () => number) {
    this.#store = store;
    this.#endpoint = endpoint;
    this.#now = now;
  }

  /**
   * Tries to deliver all undelivered events. If a pass over the events is already in progress, all calls until its end
   * share one further pass.
   */
  flush(): Promise<void> {
    if (this.#nextPass === undefined) {
      this.#nextPass = this.#lastPass.then(() => {
        this.#nextPass = undefined;
        return this.#pass();
      });
      this.#lastPass = this.#nextPass.catch(() => undefined);
    }
    return this.#nextPass;
  }

  /** Calls {@link flush} if there is an event that was never sent. */
  async flushNew(): Promise<void> {
    const isNew = (event: Event) => event.pending_webhooks > 0 && !this.#known.has(event);
    if (this.#store.state.events.some(isNew)) await this.flush();
  }

  /** Aborts deliveries in progress. Undelivered events stay in the state. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#lastPass;
  }

  async #pass(): Promise<void> {
    const tried = new Set<Event>();
    while (!this.#closing.signal.aborted) {
      const { events } = this.#store.state;
      const event = events.find((candidate) => candidate.pending_webhooks > 0 && !tried.has(candidate));
      // If the endpoint cannot be reached, do not try the other events before the next pass.
      if (event === undefined || (await this.#deliver(event)) === 'unreachable') return;
      tried.add(event);
    }
  }

  async #deliver(event: Event): Promise<Attempt> {
    const delays = this.#known.has(event) ? [] : BACKOFF_MS;
    this.#known.add(event);
    let outcome = await this.#attempt(event);
    for (const delay of delays) {
      if (outcome === 'delivered' || this.#closing.signal.aborted) break;
      await wait(delay);
      outcome = await this.#attempt(event);
    }
    return outcome;
  }

  async #attempt(event: Event): Promise<Attempt> {
    const outcome = await send(this.#endpoint, JSON.stringify(event), this.#now(), this.#closing.signal);
    if (outcome === 'delivered') {
      event.pending_webhooks = 0;
      this.#store.save();
    }
    return outcome;
  }
}

/** Sends a signed payload once. `timestamp` is in seconds (https://docs.stripe.com/webhooks/signature). */
function send(
  { url, secret }: WebhookEndpoint,
  payload: string,
  timestamp: number,
  closing: AbortSignal,
): Promise<Attempt> {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex');
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(payload),
    'stripe-signature': `t=${timestamp},v1=${digest}`,
  };
  const tooLate = AbortSignal.timeout(ANSWER_MS);
  return new Promise((resolve) => {
    // Use a new connection for each event. A connection that is kept open would fail after the endpoint restarts.
    const options = { method: 'POST', headers, agent: false, signal: AbortSignal.any([closing, tooLate]) };
    const outgoing = request(url, options, (response) => {
      const { statusCode = 0 } = response;
      response.resume().on('close', () => resolve(statusCode >= 200 && statusCode < 300 ? 'delivered' : 'refused'));
    });
    outgoing.on('error', () => resolve(tooLate.aborted ? 'refused' : 'unreachable'));
    outgoing.end(payload);
  });
}
