import { type Clock, SECOND_US } from '../shared/base/clock.ts';
import type { Store } from '../shared/store/store.ts';
import { refuseUsage } from './usage.ts';

const TOLERANCE_US = 30 * SECOND_US;

/**
 * Exits if this machine's clock is wrong. An audit row with a time that is already sealed would look as if somebody had
 * added it later, and rows before a tenant's beginning would never be sealed.
 */
export async function refuseWrongClock(
  program: string,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): Promise<void> {
  const aheadUs = clock.now() - (await store.time());
  if (Math.abs(aheadUs) <= TOLERANCE_US) return;
  const seconds = Math.round(Math.abs(aheadUs) / SECOND_US);
  refuseUsage(program, `this machine's clock is ${seconds} seconds ${aheadUs > 0 ? 'ahead' : 'behind'}: set it first`);
}
