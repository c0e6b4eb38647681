import { type Instant, makeInstant } from '../base/clock.ts';
import type { TenantId } from '../base/ids.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { OBJECT_COUNTS } from './object-counts.ts';
import { TEAMS } from './team.ts';
import { TENANTS } from './tenant.ts';

/**
 * Returns the writes that close a tenant when its only member leaves, or `undefined` if the tenant is not empty. An
 * empty tenant has one member and no live API key, and never had a key or a subscription. A started checkout counts as
 * a subscription, because it can still be paid. The commit fails if an object is created in the tenant meanwhile. The
 * next run of `close-month` removes what is left of the tenant.
 */
export async function giveUpTenant(
  store: Store,
  id: TenantId,
  hasHadKey: (id: TenantId) => Promise<boolean>,
  now: Instant,
): Promise<((writes: Writes) => void) | undefined> {
  const [team, tenant, counts] = await Promise.all([
    store.findWithUpdateTime(TEAMS, id),
    store.findWithUpdateTime(TENANTS, id),
    store.findWithUpdateTime(OBJECT_COUNTS, id),
  ]);
  if (team === undefined || tenant === undefined || counts === undefined) return undefined;
  const { keys, api_keys } = counts.doc;
  const { billing, stripe_check_at } = tenant.doc;
  const isEmpty = keys === 0 && api_keys === 0 && billing === null && stripe_check_at === null;
  if (team.doc.members.length !== 1 || !isEmpty || (await hasHadKey(id))) return undefined;
  return (writes) => {
    writes.removeUnchanged(TEAMS, id, team.updateTime);
    // An attempt before the month's end tells close-month that the tenant was left.
    const close_attempt_at = makeInstant(Math.min(now, tenant.doc.next_close_at - 1));
    writes.replaceUnchanged(TENANTS, id, { ...tenant.doc, close_attempt_at }, tenant.updateTime);
    writes.removeUnchanged(OBJECT_COUNTS, id, counts.updateTime);
  };
}
