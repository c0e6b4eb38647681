import { setImmediate as nextTurn } from 'node:timers/promises';
import { EVENTS, ROW_SHARDS } from '../../shared/audit/event.ts';
import { type Clock, type Instant, SECOND_US } from '../../shared/base/clock.ts';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import type { SealServices } from '../../shared/sealing/seal-services.ts';
import { SETTLED_AFTER_US, type SealOutcome, sealTenant } from '../../shared/sealing/seal-tenant.ts';
import type { Addresses } from './client.ts';
import { openInProcess } from './in-process.ts';

/**
 * Returns the function `seal`, which seals all events of a tenant in the test's process. The clock of this process is two
 * minutes ahead, because events that are less than two minutes old are not sealed.
 */
export function openSealing(stack: Addresses) {
  const { services, clock, logged } = openInProcess(stack);
  const { signer } = services;
  if (signer === undefined) throw new Error('the stack does not seal');
  clock.move(SETTLED_AFTER_US);
  const seal = async (id: string, changes: Partial<SealServices> = {}): Promise<SealOutcome> => {
    const tenantId = idSchema<TenantId>().parse(id);
    const [newest] = await services.store.select(EVENTS, { equal: [tenantId], anyOf: ROW_SHARDS, limit: 1 });
    if (newest !== undefined) await waitPast(newest.ts, clock);
    return sealTenant({ ...services, signer, ...changes }, { tenantId, marks: [] });
  };
  return { seal, services: { ...services, signer }, clock, logged };
}

/**
 * Waits until a sealing run with this clock includes an event from `ts`. The clock of the process that stored the event
 * can be a few milliseconds ahead. Does not wait for an event that is a second or more ahead.
 */
export async function waitPast(ts: Instant, clock: Clock): Promise<void> {
  const leadUs = () => ts + SETTLED_AFTER_US - clock.now();
  for (let lead = leadUs(); lead >= 0 && lead < SECOND_US; lead = leadUs()) await nextTurn();
}
