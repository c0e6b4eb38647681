import type { Role } from '../../../client/src/index.ts';

const OWNERS: readonly Role[] = ['owner'];
const NOT_AUDITORS: readonly Role[] = ['owner', 'admin'];

/**
 * The roles that may use each restricted action. The keys are the names of actions, or the names of dialogs as in the
 * address. Every role may use an action that is not listed.
 */
export const ALLOWED: Readonly<Record<string, readonly Role[]>> = {
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
