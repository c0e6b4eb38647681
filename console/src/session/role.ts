import type { Role } from '../../../client/src/index.ts';
import { currentSession } from './session.ts';

const OWNERS: readonly Role[] = ['owner'];
const NOT_AUDITORS: readonly Role[] = ['owner', 'admin'];

/**
 * The roles that may use each restricted action. The keys are the names of actions, or the names of dialogs as in the
 * address. Every role may use an action that is not listed.
 */
const ALLOWED: Readonly<Record<string, readonly Role[]>> = {
  create: NOT_AUDITORS,
  edit: NOT_AUDITORS,
  rename: NOT_AUDITORS,
  rotate: NOT_AUDITORS,
  delete: NOT_AUDITORS,
  destroy: NOT_AUDITORS,
  restore: NOT_AUDITORS,
  freeze: NOT_AUDITORS,
  thaw: NOT_AUDITORS,
  revoke: NOT_AUDITORS,
  invite: OWNERS,
  'revoke-invitation': OWNERS,
  'change-role': OWNERS,
  remove: OWNERS,
  subscribe: OWNERS,
};

/** Returns the signed-in person's role, or `undefined` if nobody is signed in. */
export function currentRole(): Role | undefined {
  const session = currentSession();
  return session.state === 'signed-in' ? session.me.role : undefined;
}

/** Returns whether the console offers an action to the signed-in person. The service checks the role again. */
export function may(something: string): boolean {
  const role = currentRole();
  return role !== undefined && (ALLOWED[something]?.includes(role) ?? true);
}
