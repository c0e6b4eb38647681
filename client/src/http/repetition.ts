import type { ErrorCode } from '../errors.ts';
import type { OperationId } from '../types.ts';

/**
 * What is done where the answer of an operation was lost, so that nobody knows whether it was performed:
 * - `ask`: it is asked again, as twice is as good as once, but for the count of a metered operation;
 * - `look`: first it is looked up whether it was performed;
 * - `never`: the caller is told.
 */
const AFTER_LOSS = {
  create_key: 'look',
  list_keys: 'ask',
  get_key: 'ask',
  rename_key: 'ask',
  delete_key: 'ask',
  // A second rotation would retire a version more, and its ciphertext with it.
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
  // The token of an invitation is answered once, and accepts once.
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

/** Whether an operation that failed so may be tried again: it may succeed then, and does no harm. */
export function isRetryable(operation: OperationId, code: ErrorCode): boolean {
  switch (code) {
    case 'rate_limited':
    case 'unreachable':
      return true;
    case 'unavailable':
      // It may be the payment provider that did not answer, after it had begun the checkout.
      return operation !== 'start_checkout';
    case 'answer_lost':
      return AFTER_LOSS[operation] !== 'never';
    case 'deadline_exceeded':
      return AFTER_LOSS[operation] === 'ask';
    default:
      return false;
  }
}

/** Whether it is looked up first whether an operation was performed, where its answer was lost. */
export function looksFirst(operation: OperationId): boolean {
  return AFTER_LOSS[operation] === 'look';
}
