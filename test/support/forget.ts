import { PROJECT_ID } from '../../emulators/base/repository.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { stripeOf } from './billing.ts';
import { type Addresses, send } from './client.ts';

/** A test has interrupted a transaction, whose locks remain for up to a minute. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked';
}

/**
 * Removes all tenants from a stack: empties its store and ends all subscriptions, which would otherwise be invoiced
 * whenever the clock moves by a month. `billing` says whether the stack has a payment provider. Throws
 * {@link StoreLocked}.
 */
export async function forgetTenants(stack: Addresses, billing = true): Promise<void> {
  const store = `http://127.0.0.1:${portsOf(stack).firestore}/emulator/v1/projects/${PROJECT_ID}/databases/(default)`;
  const { status } = await send('DELETE', `${store}/documents`);
  if (status === 409) throw new StoreLocked('a transaction holds locks');
  if (status !== 200) throw new Error(`the store was not emptied: ${status}`);
  if (!billing) return;
  const { subscriptions } = stripeOf(stack);
  const open = await subscriptions.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
  // Another test may have cancelled it meanwhile.
  for (const { id } of open) await subscriptions.cancel(id).catch(() => undefined);
}
