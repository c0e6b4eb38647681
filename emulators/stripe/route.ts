import { z } from 'zod';
import { type Account, invalidRequest, load } from './account.ts';

/** Decoded form fields: `a[b][0]=c` becomes `{ a: { b: { 0: 'c' } } }`. */
interface Form {
  [field: string]: string | Form;
}

/** A text with the length limit that Stripe has for most text fields. */
export const text = z.string().max(5000);
/** A non-negative integer, written in decimal digits. */
export const count = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const webUrl = z.url({ protocol: /^https?$/ });
/** Metadata, with the limits from https://docs.stripe.com/api/metadata. */
export const metadataParam = z.record(z.string().max(40), z.string().min(1).max(500)).default({});

/** Decodes form-urlencoded text with nested brackets. Throws {@link StripeError} for a malformed name. */
export function decodeForm(encoded: string): Form {
  const form = emptyForm();
  for (const [name, value] of new URLSearchParams(encoded)) setField(form, pathOf(name), value, name);
  return form;
}

/** Parses the fields of a request. Throws {@link StripeError} for the first invalid, missing or unknown field. */
function parseParams<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const result = schema.safeParse(form);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const param = nameOf([...issue.path, issue.keys[0] ?? '']);
    throw invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  }
  const path = issue?.path ?? [];
  const param = nameOf(path);
  if (valueAt(form, path) === undefined) {
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  throw invalidRequest(`Invalid ${param}: ${issue?.message}`, { param });
}

/** Returns an empty form. It has no prototype, so that its fields can have any name. */
function emptyForm(): Form {
  return Object.create(null);
}

function pathOf(name: string): string[] {
  const [, head, inner = ''] = /^([^[\]]+)((?:\[[^[\]]+\])*)$/.exec(name) ?? [];
  if (head === undefined) throw invalidRequest(`Invalid parameter name: ${name}`);
  return [head, ...(inner === '' ? [] : inner.slice(1, -1).split(']['))];
}

function setField(form: Form, [field = '', ...rest]: readonly string[], value: string, name: string): void {
  if (rest.length === 0) {
    form[field] = value;
    return;
  }
  const inner = form[field] ?? emptyForm();
  if (typeof inner === 'string') throw invalidRequest(`Invalid parameter: ${name} is given in two ways`);
  form[field] = inner;
  setField(inner, rest, value, name);
}

function nameOf([head, ...rest]: readonly PropertyKey[]): string {
  return [String(head), ...rest.map((part) => `[${String(part)}]`)].join('');
}

function valueAt(form: Form, path: readonly PropertyKey[]): string | Form | undefined {
  let value: string | Form | undefined = form;
  for (const part of path) value = typeof value === 'object' ? value[String(part)] : undefined;
  return value;
}

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

type PageRequest = z.output<z.ZodObject<typeof pageParams>>;

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
