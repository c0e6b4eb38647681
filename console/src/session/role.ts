import type { Role } from '../../../client/src/index.ts';
import { ALLOWED } from './allowed.ts';
import { currentSession } from './session.ts';

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
