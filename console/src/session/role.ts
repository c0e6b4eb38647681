import type { Role } from '../../../client/src/index.ts';
import { currentSession } from './session.ts';

const OWNERS: readonly Role[] = ['owner'];
const NOT_AUDITORS: readonly Role[] = ['owner', 'admin'];

/**
 * What some roles may not do, and the roles that may. A dialog is listed under its name in the address. What is not listed
 * is open to every role.
 */
const ALLOWED: Readonly<Record<string, readonly Role[]>> = {
  create: NOT_AUDITORS,
  edit: NOT_AUDITORS,
  rename: NOT_AUDITORS,
  rotate: NOT_AUDITORS,
  delete: NOT_AUDITORS,
  destroy: NOT_AUDITORS,
  restore: NOT_AUDITORS,
  revoke: NOT_AUDITORS,
  invite: OWNERS,
  'revoke-invitation': OWNERS,
  'change-role': OWNERS,
  remove: OWNERS,
  subscribe: OWNERS,
};

/** The role of the signed-in person, `undefined` where nobody is. */
export function currentRole(): Role | undefined {
  const session = currentSession();
  return session.state === 'signed-in' ? session.me.role : undefined;
}

/** Whether the console offers something to the person's role. The service checks the role again. */
export function may(something: string): boolean {
  const role = currentRole();
  return role !== undefined && (ALLOWED[something]?.includes(role) ?? true);
}
