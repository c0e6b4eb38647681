import type { TenantId } from '../base/ids.ts';
import type { Reader } from '../store/store.ts';

export interface Standing {
  /** Whether the billing of the tenant allows paid operations. */
  isGood(reads: Reader, tenantId: TenantId): Promise<boolean>;
}

/** The standing of every tenant in a deployment without billing. */
export const ALWAYS_GOOD: Standing = {
  async isGood() {
    return true;
  },
};
