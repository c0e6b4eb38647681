import type { Account } from './account.ts';

// https://docs.stripe.com/api/events and https://docs.stripe.com/api/idempotent_requests
const eventSeconds = 30 * 86_400;
const idempotencySeconds = 24 * 3600;

/** Drops what Stripe does not keep: delivered events after 30 days, idempotent answers after 24 hours. */
export function forgetOld({ state, now }: Account): void {
  const pending = new Set(state.deliveries.map((delivery) => delivery.event));
  const oldest = now() - eventSeconds;
  state.events = state.events.filter((event) => event.created >= oldest || pending.has(event.id));
  const oldestAnswer = now() - idempotencySeconds;
  state.idempotent_answers = state.idempotent_answers.filter((answer) => answer.created >= oldestAnswer);
}
