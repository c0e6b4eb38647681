import type { z } from 'zod';
import { readEvents } from '../../shared/audit/read.ts';
import { type eventAnswer, viewEvent } from '../../shared/audit/view.ts';
import type { Filters, PageOfWindow } from '../../shared/audit/window.ts';
import type { TenantId } from '../../shared/base/ids.ts';
import { invalidQuery, renderQuery } from '../../shared/http/query.ts';
import { Page } from '../../shared/http/route.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { EventQuery } from './window-query.ts';

/** Returns a page of events with a link to the next page. Throws `invalid_query` for a cursor of another query. */
export async function readEventPage(
  store: Parameters<typeof readEvents>[0],
  tenantId: TenantId,
  path: string,
  { since, until, limit, filters, cursor, given }: EventQuery & { readonly filters: Filters },
): Promise<Page<z.input<typeof eventAnswer>[]>> {
  const window = { since, until, filters };
  const after = cursor === undefined ? undefined : readCursor(tenantId, window, cursor);
  if (cursor !== undefined && after === undefined) {
    throw invalidQuery('cursor is valid only with the since, until and filters of the page that returned it');
  }
  const wanted: PageOfWindow = { ...window, limit, after };
  const { events, last } = await readEvents(store, tenantId, wanted);
  const next = last && renderQuery(new Map(given).set('cursor', writeCursor(tenantId, window, last)));
  return new Page(events.map(viewEvent), next && `${path}?${next}`);
}
