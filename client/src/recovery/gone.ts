import type { Recovery } from '../http/recovery.ts';

type Removal =
  | 'destroy_key'
  | 'remove_member'
  | 'revoke_invitation'
  | 'revoke_api_key'
  | 'delete_container'
  | 'delete_firewall';

/** On a retry, a missing object was already removed. */
export const gone: Recovery<Removal> = { settledBy: 'not_found', find: async () => ({ answer: undefined }) };
