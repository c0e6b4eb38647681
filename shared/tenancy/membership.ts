import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { SessionCaller } from './caller.ts';
import { isRaised } from './role.ts';
import { noTenant } from './teams.ts';
import { SUBJECTS } from './tenant.ts';

/**
 * Returns a store whose commits fail with `no_tenant` or `role_not_allowed` if the member was removed or got a lower
 * role after the policy allowed their request.
 */
export function storeOfMember(store: Store, { person, tenantId, role }: SessionCaller): Store {
  return store.guardedBy(SUBJECTS, person.subjectId, (subject) => {
    const now = subject?.membership;
    if (now?.tenant_id !== tenantId) throw noTenant();
    if (isRaised({ before: now.role, after: role }))
      throw new ApiError('role_not_allowed', `your role changed to ${now.role} during the request`);
  });
}
