import type { Clock } from '../base/clock.ts';
import { type ContainerId, makeId, type TenantId, type UserId } from '../base/ids.ts';
import { monthOf, nextMonthStart } from '../base/month.ts';
import type { UpdateTime } from '../store/commit.ts';
import { isAlreadyExists, isChanged } from '../store/failures.ts';
import type { Store } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Person, SessionCaller } from './caller.ts';
import { CLAIMS, nameClaim } from './claim.ts';
import { CONTAINERS } from './container.ts';
import { OBJECT_COUNTS } from './object-counts.ts';
import { type Member, makeMember, TEAMS } from './team.ts';
import { SUBJECTS, type Subject, TENANTS } from './tenant.ts';

const DEFAULT_CONTAINER = 'default';

export interface NewTenant {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
}

/** Returns a person's membership. Creates a tenant for a person without one, but only one if calls overlap. */
export async function provision(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  person: Person,
): Promise<SessionCaller> {
  const before = await store.findWithUpdateTime(SUBJECTS, person.subjectId);
  if (before?.doc.membership == null) {
    const userId = before?.doc.user_id ?? makeId<UserId>();
    try {
      await store.write((writes) => {
        const { tenantId } = addTenant(clock, writes, makeMember(userId, person, 'owner', clock.now()));
        const membership = { tenant_id: tenantId, role: 'owner' } as const;
        writeMembership(writes, person.subjectId, before, { user_id: userId, membership });
      });
    } catch (error) {
      // A concurrent request of the same person has created the tenant.
      if (!isAlreadyExists(error) && !isChanged(error)) throw error;
    }
  }
  const subject = await store.find(SUBJECTS, person.subjectId);
  if (subject?.membership == null) throw new Error('the membership of a provisioned subject is missing');
  const { tenant_id, role } = subject.membership;
  return { kind: 'session', tenantId: tenant_id, userId: subject.user_id, role, person };
}

/** Writes a membership. The commit fails if the membership has changed since `before` was read. */
export function writeMembership(
  writes: Writes,
  subjectId: string,
  before: { readonly updateTime: UpdateTime } | undefined,
  after: Subject,
): void {
  if (before === undefined) writes.claim(SUBJECTS, subjectId, after);
  else writes.replaceUnchanged(SUBJECTS, subjectId, after, before.updateTime);
}

/** Adds a tenant with its default container to a commit. Without an owner, the tenant has no members. */
export function addTenant(clock: Clock, writes: Writes, owner?: Member): NewTenant {
  const now = clock.now();
  const tenantId = makeId<TenantId>();
  const containerId = makeId<ContainerId>();
  const monthEnd = nextMonthStart(monthOf(now));
  writes.create(TENANTS, tenantId, {
    id: tenantId,
    name: null,
    default_container_id: containerId,
    created_at: now,
    billing: null,
    stripe_check_at: null,
    next_close_at: monthEnd,
    close_attempt_at: monthEnd,
    close_failures: 0,
  });
  writes.claim(CLAIMS, nameClaim('container', tenantId, DEFAULT_CONTAINER), { holder: containerId });
  writes.create(CONTAINERS, containerId, {
    id: containerId,
    tenant_id: tenantId,
    name: DEFAULT_CONTAINER,
    is_default: true,
    created_at: now,
    filled_at: now,
  });
  const none = { keys: 0, free_keys: 0, api_keys: 0, firewalls: 0, paid_keys_month: null, paid_keys_created: 0 };
  writes.create(OBJECT_COUNTS, tenantId, { tenant_id: tenantId, ...none, containers: 1, federation_bytes: 0 });
  writes.create(TEAMS, tenantId, { tenant_id: tenantId, members: owner ? [owner] : [], invitations: [] });
  return { tenantId, containerId };
}
