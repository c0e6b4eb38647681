import type { IncomingHttpHeaders } from 'node:http';
import { type Account, newId, StripeError, viewError } from './account.ts';
import { checkoutRoutes } from './checkout.ts';
import { customerRoutes } from './customers.ts';
import { eventRoutes } from './events.ts';
import { invoiceRoutes } from './invoices.ts';
import { decodeForm, matchPath, type Route } from './route.ts';
import { subscriptionRoutes } from './subscriptions.ts';

const ROUTES: readonly Route[] = [
  ...customerRoutes,
  ...subscriptionRoutes,
  ...checkoutRoutes,
  ...invoiceRoutes,
  ...eventRoutes,
];

interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request to the API. Never throws: errors become answers. */
export function answerApi(account: Account, secretKey: string, request: ApiRequest): ApiAnswer {
  const common = { 'content-type': 'application/json', 'request-id': newId('req') };
  try {
    if (request.headers.authorization !== `Bearer ${secretKey}`)
      throw new StripeError(401, 'Invalid API Key provided.');
    const { body, headers } = answerOnce(account, request);
    return { status: 200, headers: { ...common, ...headers }, body };
  } catch (error) {
    const known = error instanceof StripeError ? error : new StripeError(500, String(error), { type: 'api_error' });
    return { status: known.status, headers: common, body: JSON.stringify(viewError(known)) };
  }
}

/** Runs a request, or returns the saved answer if a request with the same idempotency key has already succeeded. */
function answerOnce(account: Account, request: ApiRequest): Pick<ApiAnswer, 'body' | 'headers'> {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || typeof key !== 'string') return { headers: {}, body: carryOut(account, request) };
  const answers = account.state.idempotent_answers;
  const same = `${request.path} ${request.body}`;
  const stored = answers.find((candidate) => candidate.key === key);
  if (stored !== undefined && stored.request !== same) {
    throw new StripeError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: 'idempotency_error' },
    );
  }
  if (stored !== undefined) return { headers: { 'idempotent-replayed': 'true' }, body: stored.answer };
  const body = carryOut(account, request);
  answers.push({ key, created: account.now(), request: same, answer: body });
  return { headers: {}, body };
}

function carryOut(account: Account, { method, path, query, body }: ApiRequest): string {
  for (const route of ROUTES) {
    const id = route.method === method ? matchPath(route.path, path) : undefined;
    if (id !== undefined) {
      return JSON.stringify(route.answer(account, decodeForm(method === 'GET' ? query : body), id));
    }
  }
  throw new StripeError(404, `Unrecognized request URL (${method}: ${path}).`);
}
