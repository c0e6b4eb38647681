import type { Person, SessionCaller } from '../auth/caller.ts';
import { type ContainerId, makeId, type TenantId, type UserId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { monthOf, nextMonthStart } from '../metering/month.ts';
import { isAlreadyExists } from '../store/store.ts';
import type { Writes } from '../store/writes.ts';
import { CLAIMS, nameClaim } from './claim.ts';
import { CONTAINERS } from './container.ts';
import { OBJECT_COUNTS } from './object-counts.ts';
import { SUBJECTS, TENANTS, USERS } from './tenant.ts';

const DEFAULT_CONTAINER = 'default';

/** The ids of a new tenant and of what it starts with. */
export interface NewTenant {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
}

/** The membership of a person, made with a tenant of their own when they have none: exactly once, however often it is asked at a time. */
export async function provision(env: Env, person: Person): Promise<SessionCaller> {
  const userId = makeId<UserId>();
  try {
    await env.store.write((writes) => {
      const { tenantId } = addTenant(env, writes);
      addMember(env, writes, tenantId, userId, person.subjectId);
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const subject = await env.store.find(SUBJECTS, person.subjectId);
  if (subject === undefined) throw new Error('a provisioned subject has no document');
  return { kind: 'session', tenantId: subject.tenant_id, userId: subject.user_id, person };
}

/** Adds a tenant with its default container, and the counts of its things, to what is written. */
export function addTenant(env: Env, writes: Writes): NewTenant {
  const now = env.clock.now();
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

/** Adds a user who owns the tenant and signs in as that subject. The whole fails with `ALREADY_EXISTS` when the subject is known. */
export function addMember(env: Env, writes: Writes, tenantId: TenantId, userId: UserId, subjectId: string): void {
  writes.create(USERS, userId, { tenant_id: tenantId, role: 'owner', created_at: env.clock.now() });
  writes.claim(SUBJECTS, subjectId, { user_id: userId, tenant_id: tenantId });
}
