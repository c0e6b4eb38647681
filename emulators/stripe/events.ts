import { z } from 'zod';
import { type Account, newId } from './account.ts';
import { pageOf, pageParams, type Route, route, text } from './route.ts';

/** The API version that the official client uses. */
const API_VERSION = '2026-10-28.endive';

/** Records an event with a copy of the object. The outbox delivers the event later. */
export function recordEvent({ state, now }: Account, type: string, object: object): void {
  state.events.push({
    id: newId('evt'),
    object: 'event',
    api_version: API_VERSION,
    created: now(),
    type,
    data: { object: structuredClone({ ...object }) },
    livemode: false,
    pending_webhooks: 1,
    request: null,
  });
}

const listParams = z.strictObject({ ...pageParams, type: text.optional() });

function listEvents({ state }: Account, { type, ...page }: z.output<typeof listParams>) {
  const events = state.events.filter((event) => (type ?? event.type) === event.type);
  return pageOf('/v1/events', events, page);
}

export const eventRoutes: readonly Route[] = [route('GET', '/v1/events', listParams, listEvents)];
