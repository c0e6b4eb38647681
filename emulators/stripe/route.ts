import { z } from 'zod';
import { type Account, load } from './account.ts';
import { count, type Form, parseParams, text } from './params.ts';

/** A route. Its path can have one variable segment, `:id`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Runs a request and returns the object for the answer. If it throws {@link StripeError}, it has changed nothing. */
  answer(account: Account, form: Form, id: string): object;
}

export function route<Schema extends z.ZodType>(
  method: Route['method'],
  path: string,
  params: Schema,
  handle: (account: Account, params: z.output<Schema>, id: string) => object,
): Route {
  return { method, path, answer: (account, form, id) => handle(account, parseParams(params, form), id) };
}

/**
 * Returns the value of the path's variable segment, or `''` if the pattern has no such segment. Returns `undefined` if
 * the path does not match.
 */
export function matchPath(pattern: string, path: string): string | undefined {
  const [expected, actual] = [pattern.split('/'), path.split('/')];
  const matches = expected.every((part, at) => part === actual[at] || (part === ':id' && actual[at] !== ''));
  return matches && expected.length === actual.length ? (actual[expected.indexOf(':id')] ?? '') : undefined;
}

export const nothing = z.strictObject({});

/** The parameters of every list (https://docs.stripe.com/api/pagination). */
export const pageParams = {
  limit: count.pipe(z.int().min(1).max(100)).default(10),
  starting_after: text.optional(),
};

export type PageRequest = z.output<z.ZodObject<typeof pageParams>>;

/**
 * Returns a page of `items`, which must be in order from the oldest. The page starts with the newest. Throws {@link
 * StripeError} for an unknown cursor.
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
