import { z } from 'zod';
import { type Account, load } from './account.ts';
import { count, type Form, parseParams, text } from './params.ts';

/** An operation of the API. A path has at most one variable segment, written `:id`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /**
   * Carries out a request and returns the object to answer. Throws {@link StripeError}, before it has changed anything.
   */
  answer(account: Account, form: Form, id: string): object;
}

/** A route whose handler gets its parameters parsed. */
export function route<Schema extends z.ZodType>(
  method: Route['method'],
  path: string,
  params: Schema,
  handle: (account: Account, params: z.output<Schema>, id: string) => object,
): Route {
  return { method, path, answer: (account, form, id) => handle(account, parseParams(params, form), id) };
}

/** The path's variable segment (`''` when the pattern has none), or `undefined` when the path does not match. */
export function matchPath(pattern: string, path: string): string | undefined {
  const [expected, actual] = [pattern.split('/'), path.split('/')];
  const fits = expected.every((part, at) => part === actual[at] || (part === ':id' && actual[at] !== ''));
  return fits && expected.length === actual.length ? (actual[expected.indexOf(':id')] ?? '') : undefined;
}

/** No parameters. */
export const nothing = z.strictObject({});

/** The parameters that every list takes. https://docs.stripe.com/api/pagination */
export const pageParams = {
  limit: count.pipe(z.int().min(1).max(100)).default(10),
  starting_after: text.optional(),
};

/** The page asked for, of a list. */
export type PageRequest = z.output<z.ZodObject<typeof pageParams>>;

/**
 * One page of a list, newest first, of items that are given oldest first. Throws {@link StripeError} for an unknown
 * cursor.
 */
export function pageOf<Item extends { id: string }>(
  url: string,
  items: readonly Item[],
  { limit, starting_after }: PageRequest,
) {
  const newest = items.toReversed();
  const start =
    starting_after === undefined ? 0 : newest.indexOf(load(newest, 'object', starting_after, 'starting_after')) + 1;
  const data = newest.slice(start, start + limit);
  return { object: 'list' as const, data, has_more: newest.length > start + limit, url };
}
