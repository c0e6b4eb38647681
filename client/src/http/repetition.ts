import type { ErrorCode } from '../errors.ts';
import type { OperationId } from '../types.ts';

/**
 * What to do if the response is lost and the operation may have succeeded:
 * - `retry`: the operation changes nothing the second time, except that a metered operation is counted again.
 * - `check`: before a retry, check whether the operation was performed.
 * - `never`: throw an error.
 */
const AFTER_LOST_RESPONSE = {
  create_key: 'check',
  list_keys: 'retry',
  get_key: 'retry',
  rename_key: 'retry',
  delete_key: 'retry',
  // A second rotation would retire another version, so the ciphertext of that version would be lost.
  rotate_key: 'never',
  preview_rotation: 'retry',
  get_caller: 'retry',
  restore_key: 'retry',
  freeze_key: 'retry',
  thaw_key: 'retry',
  destroy_key: 'retry',
  encrypt: 'retry',
  decrypt: 'retry',
  wrap: 'retry',
  unwrap: 'retry',
  rewrap: 'retry',
  read_key_audit: 'retry',
  read_usage: 'retry',
  read_usage_daily: 'retry',
  read_audit: 'retry',
  me: 'retry',
  rename_tenant: 'retry',
  list_members: 'retry',
  change_role: 'retry',
  remove_member: 'retry',
  // An invitation's token is returned only once, and can be accepted only once.
  invite_member: 'never',
  list_invitations: 'retry',
  revoke_invitation: 'retry',
  preview_invitation: 'retry',
  accept_invitation: 'never',
  create_api_key: 'check',
  list_api_keys: 'retry',
  get_api_key: 'retry',
  update_api_key: 'retry',
  revoke_api_key: 'retry',
  create_container: 'check',
  list_containers: 'retry',
  get_container: 'retry',
  rename_container: 'retry',
  delete_container: 'retry',
  create_firewall: 'check',
  list_firewalls: 'retry',
  get_firewall: 'retry',
  update_firewall: 'retry',
  delete_firewall: 'retry',
  read_billing: 'retry',
  start_checkout: 'never',
  open_portal: 'retry',
  read_statement: 'retry',
  live: 'retry',
  ready: 'retry',
  openapi: 'retry',
  sign_in: 'retry',
  read_audit_key: 'retry',
  read_audit_seals: 'retry',
  read_audit_entries: 'retry',
  read_audit_restorations: 'retry',
} as const satisfies Record<OperationId, 'retry' | 'check' | 'never'>;

/** Whether the call may be repeated as it is, because a repetition can succeed and does no harm. */
export function isRetryable(operation: OperationId, code: ErrorCode): boolean {
  switch (code) {
    case 'rate_limited':
    case 'unreachable':
      return true;
    case 'unavailable':
      // The payment provider may have begun the checkout, and the rotation may have taken effect.
      return operation !== 'start_checkout' && operation !== 'rotate_key';
    case 'answer_lost':
    case 'deadline_exceeded':
      return AFTER_LOST_RESPONSE[operation] === 'retry';
    default:
      return false;
  }
}

/** Whether the library may retry after a lost response, but must first check that the operation was not performed. */
export function checksFirst(operation: OperationId): boolean {
  return AFTER_LOST_RESPONSE[operation] === 'check';
}
