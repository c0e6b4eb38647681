import { setTimeout as pause } from 'node:timers/promises';
import { PROJECT_ID } from '../../emulators/base/repository.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { stripeOf } from './billing.ts';
import { type Addresses, send } from './client.ts';

/**
 * Removes all tenants from a stack: empties its store and ends all subscriptions, which would otherwise be invoiced
 * whenever the clock moves by a month. `billing` says whether the stack has a payment provider.
 */
export async function forgetTenants(stack: Addresses, billing = true): Promise<void> {
  const store = `http://127.0.0.1:${portsOf(stack).firestore}/emulator/v1/projects/${PROJECT_ID}/databases/(default)`;
  for (let attempts = 1; ; attempts++) {
    const { status } = await send('DELETE', `${store}/documents`);
    if (status === 200) break;
    // If a test has interrupted a transaction, the transaction’s locks remain for up to a minute.
    if (status !== 409 || attempts === 120) throw new Error(`the store was not emptied: ${status}`);
    await pause(500);
  }
  if (!billing) return;
  const { subscriptions } = stripeOf(stack);
  const open = await subscriptions.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
  for (const { id } of open) await subscriptions.cancel(id);
}
