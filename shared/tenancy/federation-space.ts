import type { TenantId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Writes } from '../store/writes.ts';
import type { ApiKey } from './api-key.ts';
import type { Changed } from './changed.ts';
import { federationBytes } from './federation.ts';
import { OBJECT_COUNTS } from './object-counts.ts';
import type { Slot } from './slots.ts';

/** The most bytes of JSON that the federations of a tenant's live API keys may have together. A list shows all of them. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Returns the slot of an API key's federations. If there is no space for them, the error is `limit_reached`. */
export function slotOfFederations(bytes: number): Slot {
  return {
    isFull: (counts) => bytes > 0 && counts.federation_bytes + bytes > MAX_BYTES,
    take: (counts) => ({ ...counts, federation_bytes: counts.federation_bytes + bytes }),
    full: tooLarge,
  };
}

/** Counts the bytes of changed federations. Throws `limit_reached` if there is no space for them. */
export async function countFederations(tx: Transaction, { before, after }: Changed<ApiKey>): Promise<void> {
  const more = federationBytes(after.federations) - federationBytes(before.federations);
  if (more === 0) return;
  const counts = await tx.find(OBJECT_COUNTS, after.tenant_id);
  // A tenant that was left has no counts.
  if (counts === undefined) return;
  if (more > 0 && counts.federation_bytes + more > MAX_BYTES) throw tooLarge();
  freeFederations(tx, after.tenant_id, -more);
}

export function freeFederations(writes: Writes, tenantId: TenantId, bytes: number): void {
  if (bytes !== 0) writes.add(OBJECT_COUNTS, tenantId, { federation_bytes: -bytes });
}

function tooLarge(): ApiError {
  return new ApiError('limit_reached', 'the federations of a tenant can have at most 16 MiB of JSON together');
}
