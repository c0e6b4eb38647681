import { setTimeout as sleep } from 'node:timers/promises';
import { openSigner } from '../../functions/compose/sealing.ts';
import { idSchema, type TenantId } from '../../shared/base/ids.ts';
import { type Outcome, SETTLED_AFTER_US, type SealNeeds, sealTenant } from '../../shared/sealing/seal-tenant.ts';
import type { Addresses } from './client.ts';
import { openInProcess } from './in-process.ts';

/** Longer than the clocks of two processes are apart. */
const APART_MS = 20;

/** Seals all that a tenant has done so far, and no other tenant's, in the test's process; its clock alone is two minutes ahead. */
export function openSealing(stack: Addresses) {
  const { needs, clock, logged } = openInProcess(stack);
  const { sealing } = needs.config;
  if (sealing === undefined) throw new Error('the stack does not seal');
  const signer = openSigner(needs.config, sealing);
  clock.move(SETTLED_AFTER_US);
  const seal = async (tenantId: string, changes: Partial<SealNeeds> = {}): Promise<Outcome> => {
    await sleep(APART_MS);
    const tenant = { tenantId: idSchema<TenantId>().parse(tenantId), marks: [] };
    return sealTenant({ ...needs, signer, ...changes }, tenant);
  };
  return { seal, needs: { ...needs, signer }, clock, logged };
}
