import type { Role } from '../tenancy/role.ts';
import { type Description, isDecidedByRole } from './route.ts';

/** What only owners may do. The policy decides; a test compares this with it. */
const OWNERS_ONLY: ReadonlySet<string> = new Set([
  'change_role',
  'remove_member',
  'invite_member',
  'revoke_invitation',
  'start_checkout',
  'open_portal',
]);

/** The roles that may call a route, for its description; `undefined` if it does not depend on the role. */
export function rolesOf(route: Description): readonly Role[] | undefined {
  if (!isDecidedByRole(route.credential, route.method)) return undefined;
  return OWNERS_ONLY.has(route.id) ? ['owner'] : ['owner', 'admin'];
}
