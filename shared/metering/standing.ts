import type { TenantId } from '../base/ids.ts';

export interface Standing {
  isGood(tenantId: TenantId): Promise<boolean>;
}

/** Where billing is not configured. */
export const ALWAYS_GOOD: Standing = {
  async isGood() {
    return true;
  },
};
