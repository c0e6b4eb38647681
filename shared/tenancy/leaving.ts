import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { OBJECT_COUNTS } from './object-counts.ts';
import { TEAMS } from './team.ts';
import { TENANTS } from './tenant.ts';

/**
 * What closes a tenant whose only member leaves it, `undefined` unless it is empty: one member, never a key or a
 * subscription, no live API key. A begun checkout counts as a subscription: it may be paid later. Whatever is created in the
 * tenant meanwhile changes its counts, and so makes the commit fail. Its document stays, as its audit log does.
 */
export async function giveUpTenant(
  store: Store,
  id: TenantId,
  hasHadKey: (id: TenantId) => Promise<boolean>,
): Promise<((writes: Writes) => void) | undefined> {
  const [team, tenant, counts] = await Promise.all([
    store.findWithUpdateTime(TEAMS, id),
    store.findWithUpdateTime(TENANTS, id),
    store.findWithUpdateTime(OBJECT_COUNTS, id),
  ]);
  if (team === undefined || tenant === undefined || counts === undefined) return undefined;
  const { keys, api_keys } = counts.doc;
  const isEmpty = keys === 0 && api_keys === 0 && tenant.doc.billing === null;
  if (team.doc.members.length !== 1 || !isEmpty || (await hasHadKey(id))) return undefined;
  return (writes) => {
    writes.removeUnchanged(TEAMS, id, team.updateTime);
    writes.replaceUnchanged(TENANTS, id, tenant.doc, tenant.updateTime);
    writes.removeUnchanged(OBJECT_COUNTS, id, counts.updateTime);
  };
}
