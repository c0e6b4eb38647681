import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Event } from './objects.ts';
import type { Store } from './store.ts';

/** What is refused at first is tried again after each; then it waits until others are sent. */
const BACKOFF_MS = [50, 200];
const ANSWER_MS = 10_000;

/** The one endpoint that an account sends its events to. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly secret: string;
}

/** How an attempt to deliver went: a 2xx; anything else that was answered, or no answer in time; no connection. */
type Attempt = 'delivered' | 'refused' | 'unreachable';

/** Sends an account's events, each until the endpoint has taken it. */
export class Outbox {
  readonly #store: Store;
  readonly #endpoint: WebhookEndpoint;
  readonly #now: () => number;
  readonly #closing = new AbortController();
  readonly #known = new WeakSet<Event>();
  #lastPass = Promise.resolve();
  #nextPass: Promise<void> | undefined;

  /** `now` is in seconds since the epoch. */
  constructor(store: Store, endpoint: WebhookEndpoint, now: () => number) {
    this.#store = store;
    this.#endpoint = endpoint;
    this.#now = now;
  }

  /** Tries every event that waits, in order, and resolves when each has been tried. */
  flush(): Promise<void> {
    // Whoever calls while a pass is under way waits for the one after it, all together.
    if (this.#nextPass === undefined) {
      this.#nextPass = this.#lastPass.then(() => {
        this.#nextPass = undefined;
        return this.#pass();
      });
      this.#lastPass = this.#nextPass.catch(() => undefined);
    }
    return this.#nextPass;
  }

  /** Does so if an event waits that has not been tried yet. */
  async flushNew(): Promise<void> {
    const isNew = (event: Event) => event.pending_webhooks > 0 && !this.#known.has(event);
    if (this.#store.state.events.some(isNew)) await this.flush();
  }

  /** Gives up whatever is under way; what was not delivered still waits in the state. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#lastPass;
  }

  async #pass(): Promise<void> {
    const tried = new Set<Event>();
    while (!this.#closing.signal.aborted) {
      const { events } = this.#store.state;
      const event = events.find((candidate) => candidate.pending_webhooks > 0 && !tried.has(candidate));
      // Whoever cannot be reached for one event cannot be for the next: the rest waits for the next pass.
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

/** Sends a payload once, signed at `timestamp` in seconds. https://docs.stripe.com/webhooks/signature */
function send({ url, secret }: WebhookEndpoint, payload: string, timestamp: number, closing: AbortSignal) {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex');
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(payload),
    'stripe-signature': `t=${timestamp},v1=${digest}`,
  };
  const tooLate = AbortSignal.timeout(ANSWER_MS);
  return new Promise<Attempt>((resolve) => {
    // A connection of its own: one kept from before the endpoint's restart would fail.
    const options = { method: 'POST', headers, agent: false, signal: AbortSignal.any([closing, tooLate]) };
    const outgoing = request(url, options, (response) => {
      const { statusCode = 0 } = response;
      response.resume().on('close', () => resolve(statusCode >= 200 && statusCode < 300 ? 'delivered' : 'refused'));
    });
    outgoing.on('error', () => resolve(tooLate.aborted ? 'refused' : 'unreachable'));
    outgoing.end(payload);
  });
}
