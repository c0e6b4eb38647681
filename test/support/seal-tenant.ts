import { setTimeout as sleep } from 'node:timers/promises';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import type { SealServices } from '../../shared/sealing/seal-services.ts';
import { SETTLED_AFTER_US, type SealOutcome, sealTenant } from '../../shared/sealing/seal-tenant.ts';
import type { Addresses } from './client.ts';
import { openInProcess } from './in-process.ts';

/** A pause that is longer than the difference between the clocks of two processes. */
const APART_MS = 20;

/**
 * Returns the function `seal`, which seals all events of a tenant in the test's process. The clock of this process is two
 * minutes ahead, because events that are less than two minutes old are not sealed.
 */
export function openSealing(stack: Addresses) {
  const { services, clock, logged } = openInProcess(stack);
  const { signer } = services;
  if (signer === undefined) throw new Error('the stack does not seal');
  clock.move(SETTLED_AFTER_US);
  const seal = async (tenantId: string, changes: Partial<SealServices> = {}): Promise<SealOutcome> => {
    await sleep(APART_MS);
    const tenant = { tenantId: idSchema<TenantId>().parse(tenantId), marks: [] };
    return sealTenant({ ...services, signer, ...changes }, tenant);
  };
  return { seal, services: { ...services, signer }, clock, logged };
}
