import type * as z from 'zod';
import type { Account } from './account.ts';
import type { Form } from './form.ts';
import { parseParams } from './params.ts';

/** An operation of the API. A path has at most one variable segment, written `:id`. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Does what is asked and returns the answer's object. Throws StripeError. */
  readonly answer: (account: Account, form: Form, id: string) => object;
};

/** A route whose handler gets its parameters checked. */
export function route<Schema extends z.ZodType>(
  method: Route['method'],
  path: string,
  params: Schema,
  handle: (account: Account, params: z.output<Schema>, id: string) => object,
): Route {
  return { method, path, answer: (account, form, id) => handle(account, parseParams(params, form), id) };
}

/** The path's variable segment (`''` without one), or undefined when the path is not the route's. */
export function matchPath(pattern: string, path: string): string | undefined {
  const expected = pattern.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) {
    return undefined;
  }
  let id = '';
  for (const [index, part] of expected.entries()) {
    const given = actual[index] ?? '';
    if (part === ':id' && given !== '') {
      id = given;
    } else if (part !== given) {
      return undefined;
    }
  }
  return id;
}
