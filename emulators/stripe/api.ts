import type { IncomingHttpHeaders } from 'node:http';
import {
  type Account,
  customerRoutes,
  decodeForm,
  eventRoutes,
  load,
  matchPath,
  newId,
  type Route,
  StripeError,
  viewError,
} from './account.ts';
import { checkoutRoutes, completeSession } from './checkout.ts';
import { invoiceRoutes } from './invoices.ts';
import { changeStatus, isOpen, subscriptionRoutes } from './subscriptions.ts';

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

type PageAnswer =
  | { readonly status: number; readonly html: string }
  | { readonly status: 303; readonly location: string };

/**
 * Answers a request for a hosted page. GET shows the page, and POST presses its button. Returns `undefined` for other
 * paths.
 */
export function answerPage(account: Account, method: string, path: string): PageAnswer | undefined {
  if (method !== 'GET' && method !== 'POST') return undefined;
  const checkout = matchPath('/c/pay/:id', path);
  const portal = matchPath('/p/session/:id', path);
  try {
    if (checkout !== undefined) return answerCheckout(account, checkout, method === 'POST');
    if (portal !== undefined) return answerPortal(account, portal, method === 'POST');
    return undefined;
  } catch (error) {
    if (!(error instanceof StripeError)) throw error;
    return page('Something went wrong', `<p>${escapeHtml(error.message)}</p>`, error.status);
  }
}

function answerCheckout(account: Account, id: string, isPressed: boolean): PageAnswer {
  const session = load(account.state.checkout_sessions, 'checkout.session', id);
  if (isPressed && session.status === 'open') completeSession(account, session);
  // Use `href`, because it is always ASCII and a `Location` header must be ASCII.
  if (isPressed && session.status === 'complete') return { status: 303, location: new URL(session.success_url).href };
  if (session.status !== 'open') return page('Checkout', `<p>This session is ${session.status}.</p>`);
  return page('Checkout', `${button('Pay')}\n${link('Back', session.cancel_url)}`);
}

function answerPortal(account: Account, id: string, isPressed: boolean): PageAnswer {
  const { customer, return_url } = load(account.state.portal_sessions, 'billing_portal.session', id);
  const own = account.state.subscriptions.filter((subscription) => subscription.customer === customer);
  if (isPressed) {
    for (const subscription of own.filter(isOpen)) changeStatus(account, subscription, 'canceled');
    return { status: 303, location: `/p/session/${id}` };
  }
  const rows = own.map((subscription) => `<li>${subscription.id}: ${subscription.status}</li>`).join('\n');
  const cancel = own.some(isOpen) ? button('Cancel subscription') : '';
  return page('Billing', `<ul>\n${rows}\n</ul>\n${cancel}\n${link('Return', return_url)}`);
}

function page(title: string, body: string, status = 200): PageAnswer {
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1>
${body}
</body>
</html>
`;
  return { status, html };
}

function button(label: string): string {
  return `<form method="post"><button type="submit">${label}</button></form>`;
}

function link(label: string, url: string): string {
  return `<p><a href="${escapeHtml(url)}">${label}</a></p>`;
}

/** Escapes text for an element or a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
