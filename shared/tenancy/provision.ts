import type { Clock } from '../base/clock.ts';
import { type ContainerId, makeId, type TenantId, type UserId } from '../base/ids.ts';
import { monthOf, nextMonthStart } from '../base/month.ts';
import { isAlreadyExists } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import type { Person, SessionCaller } from './caller.ts';
import { CLAIMS, nameClaim } from './claim.ts';
import { CONTAINERS } from './container.ts';
import type { ChangeNeeds } from './needs.ts';
import { OBJECT_COUNTS } from './object-counts.ts';
import { SUBJECTS, TENANTS, USERS } from './tenant.ts';

const DEFAULT_CONTAINER = 'default';

export interface NewTenant {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
}

/** Returns a person's membership, and creates it with a tenant of its own at first. Idempotent under concurrency. */
export async function provision({ store, clock }: ChangeNeeds, person: Person): Promise<SessionCaller> {
  const userId = makeId<UserId>();
  try {
    await store.write((writes) => {
      const { tenantId } = addTenant(clock, writes);
      addMember(clock, writes, tenantId, userId, person.subjectId);
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const subject = await store.find(SUBJECTS, person.subjectId);
  if (subject === undefined) throw new Error('a provisioned subject has no document');
  return { kind: 'session', tenantId: subject.tenant_id, userId: subject.user_id, person };
}

/** Adds to `writes` a tenant with its default container and object counts. */
export function addTenant(clock: Clock, writes: Writes): NewTenant {
  const now = clock.now();
  const tenantId = makeId<TenantId>();
  const containerId = makeId<ContainerId>();
  const monthEnd = nextMonthStart(monthOf(now));
  writes.create(TENANTS, tenantId, {
    id: tenantId,
    default_container_id: containerId,
    created_at: now,
    billing: null,
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
  const none = { keys: 0, free_keys: 0, api_keys: 0, firewalls: 0 };
  writes.create(OBJECT_COUNTS, tenantId, { tenant_id: tenantId, ...none, containers: 1 });
  return { tenantId, containerId };
}

/** The commit fails with `ALREADY_EXISTS` when the subject already has a user. */
export function addMember(clock: Clock, writes: Writes, tenantId: TenantId, userId: UserId, subjectId: string): void {
  writes.create(USERS, userId, { tenant_id: tenantId, role: 'owner', created_at: clock.now() });
  writes.claim(SUBJECTS, subjectId, { user_id: userId, tenant_id: tenantId });
}
