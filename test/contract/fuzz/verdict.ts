import { expect } from 'vitest';
import type { Answer } from '../../support/client.ts';
import { errorObject, read, vaultErrorObject } from '../../support/objects.ts';
import { expectGatewayRefusal } from '../../support/refusal.ts';
import { DEPLOYED } from '../../support/stacks.ts';

/** The allowed error codes by status. `500` is missing because no request may cause an internal error. */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: [
    'invalid_request',
    'invalid_base64',
    'invalid_dek_length',
    'invalid_ciphertext',
    'invalid_name',
    'invalid_tier',
    'invalid_container',
    'invalid_query',
    'invalid_period',
    'invalid_allowed_actions',
    'invalid_key_ids',
    'invalid_firewall',
    'invalid_expires_at',
    'invalid_federations',
    'invalid_allowed_ips',
    'invalid_role',
  ],
  401: ['unauthorized'],
  402: ['billing_required'],
  403: [
    'unauthorized',
    'api_key_required',
    'session_required',
    'key_not_allowed',
    'action_not_allowed',
    'role_not_allowed',
    'no_tenant',
  ],
  404: ['not_found'],
  405: ['method_not_allowed'],
  409: [
    'key_pending_deletion',
    'key_exists',
    'free_key_exists',
    'not_pending_deletion',
    'restore_window_closed',
    'container_exists',
    'container_is_default',
    'container_not_empty',
    'firewall_exists',
    'firewall_in_use',
    'already_member',
    'last_owner',
    'limit_reached',
    'billing_active',
    'billing_not_set_up',
  ],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited'],
  503: ['unavailable'],
};

/** Checks that an answer is a success, or a documented error in the standard error body. */
export function expectValidAnswer(answer: Answer, request: string): void {
  const { status, headers, body } = answer;
  if (DEPLOYED && headers.get('x-request-id') === null) {
    expectGatewayRefusal(answer, status);
    return;
  }
  const requestId = headers.get('x-request-id');
  expect(requestId, request).toMatch(/^[\w.:-]{1,128}$/);
  if (status >= 200 && status < 300) return;
  expect(headers.get('content-type')).toMatch(/^application\/json\b/);
  // If every item of a Transit batch failed, the answer has an error for each item.
  if (status === 400 && Object.hasOwn(Object(body), 'data')) return;
  expect(CODES[status] ?? [], `${request}: ${status} ${JSON.stringify(body)}`).toContain(codeOf(answer, requestId));
}

/**
 * Returns the error code in the service's own error body or in Vault's. Vault answers invalid credentials with `403`.
 */
function codeOf(answer: Answer, requestId: string | null): string {
  if (Object.hasOwn(Object(answer.body), 'errors'))
    return read(vaultErrorObject, answer).errors[0].split(': ')[0] ?? '';
  const refusal = read(errorObject, answer);
  expect(refusal.request_id).toBe(requestId);
  return refusal.error;
}
