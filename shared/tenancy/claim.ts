import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ContainerId, TenantId } from '../base/ids.ts';
import { collection } from '../store/collection.ts';
import type { Query } from '../store/query.ts';
import type { Transaction } from '../store/transaction.ts';

const claim = z.object({ holder: z.string() });
type NameClaim = z.output<typeof claim>;

/** `names/{claim id}`: unique names. Creating the document claims the name, removing it frees the name. */
export const CLAIMS = collection('names', claim);
export const CLAIMS_OF_ALL: Query<NameClaim> = { from: CLAIMS, equal: [] };

/** Returns the claim id of a name in its container or tenant. */
export function nameClaim(kind: 'key' | 'firewall', scope: ContainerId, name: string): string;
export function nameClaim(kind: 'container', scope: TenantId, name: string): string;
export function nameClaim(kind: string, scope: string, name: string): string {
  return `${scope}:${kind}:${createHash('sha256').update(name).digest('base64url')}`;
}

/** Moves a claim to another name. Must be called before the transaction's first write, because this function reads. */
export async function moveClaim(tx: Transaction, from: string, to: string, holder: string): Promise<void> {
  await freeClaim(tx, from, holder);
  tx.claim(CLAIMS, to, { holder });
}

/** Frees a holder's claim. Must be called before the transaction's first write, because this function reads. */
export async function freeClaim(tx: Transaction, id: string, holder: string): Promise<void> {
  if ((await tx.find(CLAIMS, id))?.holder === holder) tx.remove(CLAIMS, id);
}
