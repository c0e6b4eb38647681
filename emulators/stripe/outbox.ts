import { setTimeout as wait } from 'node:timers/promises';
import { viewEvent } from './events.ts';
import type { Delivery } from './state.ts';
import type { Store } from './store.ts';
import { type Attempt, sendEvent, type WebhookEndpoint } from './webhook-endpoint.ts';

// A first delivery is tried three times; an event that has failed so is tried once more whenever others are sent.
const backoffMs = [50, 200];

/** Sends the account's events to its webhook endpoint. */
export type Outbox = {
  /** Tries every event that waits, in order, and resolves when each has been tried. */
  flush(): Promise<void>;
  /** Does so if an event waits that has not been tried yet. */
  flushNew(): Promise<void>;
  /** Gives up whatever is under way; what was not delivered still waits in the state. */
  close(): Promise<void>;
};

/** Opens the outbox of a store. `now` is in seconds. */
export function openOutbox(store: Store, endpoint: WebhookEndpoint, now: () => number): Outbox {
  const { state } = store;
  const closing = new AbortController();
  let lastPass = Promise.resolve();
  let nextPass: Promise<void> | undefined;

  async function attempt(delivery: Delivery): Promise<Attempt> {
    const event = state.events.find((candidate) => candidate.id === delivery.event);
    delivery.attempts += 1;
    const outcome =
      event === undefined ? 'delivered' : await sendEvent(endpoint, viewEvent(state, event), now(), closing.signal);
    if (outcome === 'delivered') {
      state.deliveries = state.deliveries.filter((candidate) => candidate !== delivery);
    }
    store.save();
    return outcome;
  }

  async function deliver(delivery: Delivery): Promise<Attempt> {
    const delays = delivery.attempts === 0 ? backoffMs : [];
    let outcome = await attempt(delivery);
    for (const delay of delays) {
      if (outcome === 'delivered' || closing.signal.aborted) {
        return outcome;
      }
      await wait(delay);
      outcome = await attempt(delivery);
    }
    return outcome;
  }

  async function pass(): Promise<void> {
    const tried = new Set<Delivery>();
    while (!closing.signal.aborted) {
      const delivery = state.deliveries.find((candidate) => !tried.has(candidate));
      // Whoever cannot be reached for one event cannot be for the next: the rest waits for the next pass.
      if (delivery === undefined || (await deliver(delivery)) === 'unreachable') {
        return;
      }
      tried.add(delivery);
    }
  }

  // Whoever calls while a pass is under way waits for the one after it, all together.
  function flush(): Promise<void> {
    if (nextPass === undefined) {
      nextPass = lastPass.then(() => {
        nextPass = undefined;
        return pass();
      });
      lastPass = nextPass.catch(() => {});
    }
    return nextPass;
  }

  return {
    flush,
    flushNew: async () => {
      if (state.deliveries.some((delivery) => delivery.attempts === 0)) {
        await flush();
      }
    },
    close: () => {
      closing.abort();
      return lastPass;
    },
  };
}
