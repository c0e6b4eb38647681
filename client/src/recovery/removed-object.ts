import type { Recovery } from '../http/recovery.ts';

type Removal =
  | 'destroy_key'
  | 'remove_member'
  | 'revoke_invitation'
  | 'revoke_api_key'
  | 'delete_container'
  | 'delete_firewall';

/** For removals: if a retry gets `not_found`, the first attempt has removed the object. */
export const removedObject: Recovery<Removal> = { codeIfDone: 'not_found', find: async () => ({ answer: undefined }) };
