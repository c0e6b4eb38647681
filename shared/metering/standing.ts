import type { TenantId } from '../base/ids.ts';

export interface Standing {
  isGood(tenantId: TenantId): Promise<boolean>;
}

/** The standing of every tenant in a deployment without billing. */
export const ALWAYS_GOOD: Standing = {
  async isGood() {
    return true;
  },
};
