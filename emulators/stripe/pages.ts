import type { Account } from './account.ts';
import { loadCheckoutSession } from './checkout.ts';
import { completeSession, successUrl } from './checkout-completion.ts';
import { StripeError } from './errors.ts';
import { escapeHtml, link, page, postButton } from './html.ts';
import { loadPortalSession } from './portal.ts';
import { matchPath } from './route.ts';
import { cancelSubscription, isOpen } from './subscription-lifecycle.ts';

/** What a hosted page answers: HTML, or another address to go to. */
export type PageAnswer = { status: number; html: string } | { status: 303; location: string };

/** Shows a hosted page (GET) or does what its button says (POST); undefined where there is no page. */
export function answerPage(account: Account, method: string, path: string): PageAnswer | undefined {
  const checkout = matchPath('/c/pay/:id', path);
  const portal = matchPath('/p/session/:id', path);
  const show = method === 'GET';
  if ((!show && method !== 'POST') || (checkout ?? portal) === undefined) {
    return undefined;
  }
  try {
    if (checkout !== undefined) {
      return show ? showCheckout(account, checkout) : pay(account, checkout);
    }
    return show ? showPortal(account, portal ?? '') : cancelAll(account, portal ?? '', path);
  } catch (error) {
    if (error instanceof StripeError) {
      return { status: error.status, html: page('Something went wrong', `<p>${escapeHtml(error.message)}</p>`) };
    }
    throw error;
  }
}

function showCheckout({ state }: Account, id: string): PageAnswer {
  const session = loadCheckoutSession(state, id);
  if (session.status !== 'open') {
    return { status: 200, html: page('Checkout', `<p>This session is ${session.status}.</p>`) };
  }
  return { status: 200, html: page('Checkout', `${postButton('Pay')}\n${link('Back', session.cancel_url)}`) };
}

function pay(account: Account, id: string): PageAnswer {
  const session = loadCheckoutSession(account.state, id);
  if (session.status === 'expired') {
    return showCheckout(account, id);
  }
  if (session.status === 'open') {
    completeSession(account, session);
  }
  return { status: 303, location: successUrl(session) };
}

function showPortal({ state }: Account, id: string): PageAnswer {
  const session = loadPortalSession(state, id);
  const subscriptions = state.subscriptions.filter(({ customer }) => customer === session.customer);
  const rows = subscriptions.map(({ id: name, status }) => `<li>${name}: ${status}</li>`).join('\n');
  const button = subscriptions.some(isOpen) ? postButton('Cancel subscription') : '';
  return {
    status: 200,
    html: page('Billing', `<ul>\n${rows}\n</ul>\n${button}\n${link('Return', session.return_url)}`),
  };
}

function cancelAll(account: Account, id: string, path: string): PageAnswer {
  const { customer } = loadPortalSession(account.state, id);
  for (const subscription of account.state.subscriptions) {
    if (subscription.customer === customer && isOpen(subscription)) {
      cancelSubscription(account, subscription);
    }
  }
  return { status: 303, location: path };
}
