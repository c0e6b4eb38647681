import type { ErrorCode } from '../errors.ts';
import type { OperationId } from '../types.ts';

/**
 * What to do if the response is lost and the operation may have succeeded:
 * - `ask`: retry. The operation changes nothing the second time, except that a metered operation is counted again.
 * - `look`: first check whether the operation was performed.
 * - `never`: throw an error.
 */
const AFTER_LOSS = {
  create_key: 'look',
  list_keys: 'ask',
  get_key: 'ask',
  rename_key: 'ask',
  delete_key: 'ask',
  // A second rotation would retire another version, so that the ciphertext of that version is lost.
  rotate_key: 'never',
  preview_rotation: 'ask',
  get_caller: 'ask',
  restore_key: 'ask',
  destroy_key: 'ask',
  encrypt: 'ask',
  decrypt: 'ask',
  wrap: 'ask',
  unwrap: 'ask',
  rewrap: 'ask',
  read_key_audit: 'ask',
  read_usage: 'ask',
  read_usage_daily: 'ask',
  read_audit: 'ask',
  me: 'ask',
  rename_tenant: 'ask',
  list_members: 'ask',
  change_role: 'ask',
  remove_member: 'ask',
  // An invitation's token is returned only once, and can be accepted only once.
  invite_member: 'never',
  list_invitations: 'ask',
  revoke_invitation: 'ask',
  preview_invitation: 'ask',
  accept_invitation: 'never',
  create_api_key: 'look',
  list_api_keys: 'ask',
  get_api_key: 'ask',
  update_api_key: 'ask',
  revoke_api_key: 'ask',
  create_container: 'look',
  list_containers: 'ask',
  get_container: 'ask',
  rename_container: 'ask',
  delete_container: 'ask',
  create_firewall: 'look',
  list_firewalls: 'ask',
  get_firewall: 'ask',
  update_firewall: 'ask',
  delete_firewall: 'ask',
  read_billing: 'ask',
  start_checkout: 'never',
  open_portal: 'ask',
  read_statement: 'ask',
  live: 'ask',
  ready: 'ask',
  openapi: 'ask',
  sign_in: 'ask',
  read_audit_key: 'ask',
  read_audit_seals: 'ask',
  read_audit_entries: 'ask',
  read_audit_restorations: 'ask',
} as const satisfies Record<OperationId, 'ask' | 'look' | 'never'>;

/** Whether a retry may succeed and is safe. */
export function isRetryable(operation: OperationId, code: ErrorCode): boolean {
  switch (code) {
    case 'rate_limited':
    case 'unreachable':
      return true;
    case 'unavailable':
      // A checkout may have begun although the payment provider did not answer.
      return operation !== 'start_checkout';
    case 'answer_lost':
      return AFTER_LOSS[operation] !== 'never';
    case 'deadline_exceeded':
      return AFTER_LOSS[operation] === 'ask';
    default:
      return false;
  }
}

/** Whether the library must check, before a retry, that the operation was not performed. */
export function looksFirst(operation: OperationId): boolean {
  return AFTER_LOSS[operation] === 'look';
}
