import { makeBiller, NO_BILLER } from '../../shared/billing/biller.ts';
import type { CloseNeeds } from '../../shared/billing/close-tenant.ts';
import type { Store } from '../../shared/store/store.ts';
import { openPayments } from './payments.ts';
import type { Process } from './process.ts';

/** What `close-month` needs. Throws an `Error` where billing is configured without the secret key of the payment provider. */
export function openClosing(own: Process, store: Store): CloseNeeds {
  const { config, log } = own;
  if (config.billing === undefined) return { ...own, store, biller: NO_BILLER };
  return { ...own, store, biller: makeBiller({ store, log, ...openPayments(config.billing, store, log) }) };
}
