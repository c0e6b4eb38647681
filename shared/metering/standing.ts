import type { TenantId } from '../base/ids.ts';

/** Tells whether a tenant may make new ciphertext under paid keys, and paid keys, as far as billing goes. */
export interface Standing {
  isGood(tenantId: TenantId): Promise<boolean>;
}

/** The standing of every tenant where billing is not configured. */
export const ALWAYS_GOOD: Standing = {
  async isGood() {
    return true;
  },
};
