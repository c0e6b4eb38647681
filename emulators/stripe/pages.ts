import { type Account, load, StripeError } from './account.ts';
import { completeSession } from './checkout.ts';
import { matchPath } from './route.ts';
import { changeStatus, isOpen } from './subscriptions.ts';

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
