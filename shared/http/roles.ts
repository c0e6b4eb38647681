import type { Role } from '../tenancy/role.ts';
import { type Description, isDecidedByRole } from './route.ts';

const OWNERS_ONLY: ReadonlySet<string> = new Set([
  'change_role',
  'remove_member',
  'invite_member',
  'revoke_invitation',
  'start_checkout',
  'open_portal',
]);

/** Returns the roles that may call a route, or `undefined` if roles do not matter. */
export function rolesOf(route: Description): readonly Role[] | undefined {
  if (!isDecidedByRole(route.credential, route.method)) return undefined;
  return OWNERS_ONLY.has(route.id) ? ['owner'] : ['owner', 'admin'];
}
