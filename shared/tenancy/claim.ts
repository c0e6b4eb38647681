import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ContainerId, TenantId } from '../base/ids.ts';
import { collection } from '../store/collection.ts';
import type { Transaction } from '../store/writes.ts';

/** `names/{claim id}`: who holds what only one may hold. Creating the document takes the claim, removing it frees it. */
export const CLAIMS = collection('names', z.object({ holder: z.string() }));

/** The claim on a name among the keys or firewalls of a container, or the containers of a tenant. */
export function nameClaim(kind: 'key' | 'firewall', scope: ContainerId, name: string): string;
export function nameClaim(kind: 'container', scope: TenantId, name: string): string;
export function nameClaim(kind: string, scope: string, name: string): string {
  return `${scope}:${kind}:${createHash('sha256').update(name).digest('base64url')}`;
}

/** Has the holder claim another name instead of its old one. It reads before, so this comes before the transaction's first write. */
export async function moveClaim(tx: Transaction, from: string, to: string, holder: string): Promise<void> {
  await freeClaim(tx, from, holder);
  tx.claim(CLAIMS, to, { holder });
}

/** Frees a claim if it is the holder's. It is read before, so this comes before the transaction's first write. */
export async function freeClaim(tx: Transaction, id: string, holder: string): Promise<void> {
  if ((await tx.find(CLAIMS, id))?.holder === holder) tx.remove(CLAIMS, id);
}
