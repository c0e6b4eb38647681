import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Customer, State } from './objects.ts';

export interface Account {
  readonly state: State;
  /** Returns whole seconds since the epoch. */
  readonly now: () => number;
  /** The URL of the hosted pages, without a trailing slash. */
  readonly baseUrl: string;
}

export function newId(prefix: 'bps' | 'cs_test' | 'cus' | 'evt' | 'ii' | 'in' | 'pm' | 'req' | 'si' | 'sub'): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

/**
 * Returns the object with this id. If it does not exist, throws {@link StripeError}: 404 if the id is from the path, or
 * 400 if it is from the parameter `param`.
 */
export function load<Stored extends { id: string }>(
  list: readonly Stored[],
  kind: string,
  id: string,
  param?: string,
): Stored {
  const found = list.find((candidate) => candidate.id === id);
  if (found !== undefined) return found;
  const detail = { code: 'resource_missing', param: param ?? 'id' };
  throw new StripeError(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, detail);
}

/** The fields of an error in addition to its message (https://docs.stripe.com/api/errors). */
interface ErrorDetail {
  readonly type?: StripeError['type'];
  readonly code?: string;
  readonly param?: string;
}

export class StripeError extends Error {
  readonly status: number;
  readonly type: 'api_error' | 'idempotency_error' | 'invalid_request_error';
  readonly code: string | undefined;
  readonly param: string | undefined;

  /** `type` is `invalid_request_error` by default. */
  constructor(status: number, message: string, detail: ErrorDetail = {}) {
    super(message);
    this.status = status;
    this.type = detail.type ?? 'invalid_request_error';
    this.code = detail.code;
    this.param = detail.param;
  }
}

/** Returns an error with status 400, for a request that is malformed or not allowed in the current state. */
export function invalidRequest(message: string, detail: Omit<ErrorDetail, 'type'> = {}): StripeError {
  return new StripeError(400, message, detail);
}

export function viewError({ type, code, message, param }: StripeError) {
  return { error: { type, code, message, param } };
}

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

/**
 * Returns the customer with this id. If it does not exist, throws {@link StripeError}: 404 if the id is from the path,
 * or 400 if it is from the parameter `param`.
 */
export function loadCustomer(state: State, id: string, param?: string): Customer {
  return load(state.customers, 'customer', id, param);
}

export function createCustomer(account: Account, metadata: Customer['metadata']): Customer {
  const customer: Customer = { id: newId('cus'), object: 'customer', created: account.now(), metadata };
  account.state.customers.push(customer);
  recordEvent(account, 'customer.created', customer);
  return customer;
}

export const customerRoutes: readonly Route[] = [
  route('POST', '/v1/customers', z.strictObject({ metadata: metadataParam }), (account, { metadata }) =>
    createCustomer(account, metadata),
  ),
  route('GET', '/v1/customers', z.strictObject(pageParams), ({ state }, page) =>
    pageOf('/v1/customers', state.customers, page),
  ),
  route(
    'GET',
    '/v1/customers/:id',
    nothing,
    ({ state }, _, id) => state.deleted_customers.find((one) => one.id === id) ?? loadCustomer(state, id),
  ),
];
