import * as z from 'zod';
import type { Account } from './account.ts';
import { loadCustomer } from './customers.ts';
import { resourceMissing } from './errors.ts';
import { newId } from './ids.ts';
import { text, webUrl } from './params.ts';
import type { PortalSessionRecord } from './records.ts';
import { type Route, route } from './route.ts';
import type { State } from './state.ts';

/** The billing portal session object. */
export function viewPortalSession({ baseUrl }: Account, session: PortalSessionRecord) {
  return {
    ...session,
    object: 'billing_portal.session' as const,
    configuration: 'bpc_default',
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    url: `${baseUrl}/p/session/${session.id}`,
  };
}

/** The session of this id. Throws when there is none. */
export function loadPortalSession(state: State, id: string): PortalSessionRecord {
  const session = state.portal_sessions.find((candidate) => candidate.id === id);
  if (session === undefined) {
    throw resourceMissing('billing_portal.session', id);
  }
  return session;
}

const createParams = z.strictObject({
  customer: text,
  return_url: webUrl.optional(),
  locale: text.optional(),
});

function createPortalSession(account: Account, params: z.output<typeof createParams>) {
  const session: PortalSessionRecord = {
    id: newId('bps'),
    created: account.now(),
    customer: loadCustomer(account.state, params.customer, 'customer').id,
    return_url: params.return_url ?? null,
  };
  account.state.portal_sessions.push(session);
  return viewPortalSession(account, session);
}

export const portalRoutes: Route[] = [route('POST', '/v1/billing_portal/sessions', createParams, createPortalSession)];
