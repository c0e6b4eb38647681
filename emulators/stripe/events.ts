import * as z from 'zod';
import type { Account } from './account.ts';
import { resourceMissing } from './errors.ts';
import { newId } from './ids.ts';
import { isWithin, pageParams, rangeParam, viewPage } from './pagination.ts';
import { listOf, text } from './params.ts';
import { type Route, route } from './route.ts';
import type { EventRecord, State } from './state.ts';

/** The API version whose shapes this account speaks. */
export const apiVersion = '2026-10-28.endive';

/** Records that something happened to an object, as it looks now, and puts the event in line for delivery. */
export function recordEvent(account: Account, type: string, object: object, previous?: Record<string, unknown>): void {
  const { requestId, idempotencyKey } = account.origin;
  const event: EventRecord = {
    id: newId('evt'),
    created: account.now(),
    type,
    object: { ...object },
    previous_attributes: previous ?? null,
    request: { id: requestId, idempotency_key: idempotencyKey },
  };
  account.state.events.push(event);
  account.state.deliveries.push({ event: event.id, attempts: 0 });
}

/** The event object, in answers and in deliveries. */
export function viewEvent(state: State, event: EventRecord) {
  const { object, previous_attributes } = event;
  return {
    id: event.id,
    object: 'event' as const,
    api_version: apiVersion,
    created: event.created,
    data: previous_attributes === null ? { object } : { object, previous_attributes },
    livemode: false,
    pending_webhooks: state.deliveries.some((delivery) => delivery.event === event.id) ? 1 : 0,
    request: event.request,
    type: event.type,
  };
}

const listParams = z.strictObject({
  ...pageParams,
  created: rangeParam,
  type: text.optional(),
  types: listOf(text).optional(),
});

function listEvents({ state }: Account, params: z.output<typeof listParams>) {
  const { type, types } = params;
  const events = state.events
    .filter((event) => isWithin(event.created, params.created))
    .filter((event) => (type ?? event.type) === event.type && (types?.includes(event.type) ?? true))
    .map((event) => viewEvent(state, event));
  return viewPage('/v1/events', events.reverse(), params);
}

function retrieveEvent({ state }: Account, _: object, id: string) {
  const event = state.events.find((candidate) => candidate.id === id);
  if (event === undefined) {
    throw resourceMissing('event', id);
  }
  return viewEvent(state, event);
}

export const eventRoutes: Route[] = [
  route('GET', '/v1/events', listParams, listEvents),
  route('GET', '/v1/events/:id', z.strictObject({}), retrieveEvent),
];
