import * as z from 'zod';
import { resourceMissing } from './errors.ts';
import { count, integer, text } from './params.ts';

/** The parameters that every list takes. https://docs.stripe.com/api/pagination */
export const pageParams = {
  limit: count.pipe(z.int().min(1).max(100)).optional(),
  starting_after: text.optional(),
  ending_before: text.optional(),
};

/** A time in seconds, or bounds on it. */
export const rangeParam = z
  .union([
    integer,
    z.strictObject({
      gt: integer.optional(),
      gte: integer.optional(),
      lt: integer.optional(),
      lte: integer.optional(),
    }),
  ])
  .optional();

/** Says whether a time is what a range asks for; without a range, any is. */
export function isWithin(seconds: number, range: z.output<typeof rangeParam>): boolean {
  if (range === undefined || typeof range === 'number') {
    return range === undefined || range === seconds;
  }
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = range;
  return seconds > gt && seconds >= gte && seconds < lt && seconds <= lte;
}

type Page = { limit?: number | undefined; starting_after?: string | undefined; ending_before?: string | undefined };

/** One page of a list whose order is that of `items`. Throws when a cursor names none of them. */
export function viewPage<Item extends { id: string }>(url: string, items: readonly Item[], page: Page) {
  const limit = page.limit ?? 10;
  if (page.ending_before !== undefined) {
    const end = indexOf(items, page.ending_before, 'ending_before');
    const start = Math.max(0, end - limit);
    return viewList(url, items.slice(start, end), start > 0);
  }
  const start = page.starting_after === undefined ? 0 : indexOf(items, page.starting_after, 'starting_after') + 1;
  return viewList(url, items.slice(start, start + limit), items.length > start + limit);
}

/** A list object. */
export function viewList<Item>(url: string, data: Item[], hasMore: boolean) {
  return { object: 'list' as const, data, has_more: hasMore, url };
}

function indexOf(items: readonly { id: string }[], id: string, param: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index < 0) {
    throw resourceMissing('object', id, param);
  }
  return index;
}
