import type { TenantId } from '../base/ids.ts';
import type { Position } from '../store/query.ts';
import { PAGE, type Store, type WithId } from '../store/store.ts';
import { type AuditEvent, EVENTS, ROW_SHARDS } from './event.ts';
import type { PageOfWindow } from './window.ts';

export interface Recorded {
  readonly id: string;
  readonly event: AuditEvent;
}

/** A page of events. `last` is the position of the last event, or absent if there are no more events. */
interface EventPage {
  readonly events: readonly Recorded[];
  readonly last: Position | undefined;
}

/** Returns a page of events, newest first, then by descending id. To get the next page, start after `last`. */
export async function readEvents(
  store: Store,
  tenantId: TenantId,
  { limit, filters, ...bounds }: PageOfWindow,
): Promise<EventPage> {
  const { since, until } = bounds;
  if (since !== undefined && until !== undefined && since >= until) return { events: [], last: undefined };
  const values = { equal: [tenantId], anyOf: ROW_SHARDS, filters: { ...filters }, ...bounds };
  // Read one row more than wanted: it shows whether there is a next page.
  const wanted = limit + 1;
  const found: WithId<AuditEvent>[] = [];
  for await (const page of store.pagesWithIds(EVENTS, values, Math.ceil(wanted / Math.ceil(wanted / PAGE)))) {
    found.push(...page);
    if (found.length >= wanted) break;
  }
  const events = found.slice(0, limit).map(({ id, doc }) => ({ id, event: doc }));
  const last = found.length > limit ? events.at(-1) : undefined;
  return { events, last: last && { at: last.event.ts, id: last.id } };
}
