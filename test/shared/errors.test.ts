import { expect, test } from 'vitest';
import {
  ApiError,
  ERROR_CODES,
  internalError,
  isErrorCode,
  notFound,
  rowNotWritten,
  toApiError,
  unauthorized,
  viewError,
} from '../../shared/errors.ts';

/** Every specified error code, after its status. A plus sign marks the errors that the audit log can contain. */
const TABLE = `
  400 invalid_request+ invalid_base64+ invalid_dek_length+ invalid_ciphertext+ invalid_name+ invalid_tier+
  400 invalid_container+ invalid_query invalid_period invalid_allowed_actions invalid_key_ids invalid_firewall
  400 invalid_expires_at invalid_federations invalid_allowed_ips invalid_role
  401 unauthorized
  402 billing_required+
  403 api_key_required session_required ip_not_allowed key_not_allowed+ action_not_allowed+ role_not_allowed+ no_tenant
  404 not_found
  405 method_not_allowed
  409 key_pending_deletion+ key_frozen+ key_exists+ free_key_exists+ not_pending_deletion+ restore_window_closed+
  409 container_exists container_is_default container_not_empty firewall_exists firewall_in_use already_member last_owner
  409 limit_reached+ billing_active billing_not_set_up
  413 payload_too_large
  415 unsupported_media_type+
  429 rate_limited ops_cap_reached+
  500 internal_error+
  503 unavailable+`;

test('the error catalogue has exactly the specified codes, each with its status and whether the audit log records it', () => {
  const specified = TABLE.trim()
    .split('\n')
    .flatMap((line) => {
      const [status, ...codes] = line.trim().split(' ');
      return codes.map((code) => `${status} ${code}`);
    });
  const errors = ERROR_CODES.map((code) => new ApiError(code, 'a message'));
  expect(errors.map(({ status, code, recorded }) => `${status} ${code}${recorded ? '+' : ''}`)).toEqual(specified);
  expect(ERROR_CODES.every(isErrorCode)).toBe(true);
});

test.each(['', 'INVALID_REQUEST', 'teapot', 'toString', '__proto__'])('"%s" is not an error code', (text) => {
  expect(isErrorCode(text)).toBe(false);
});

const INTERNAL = { error: 'internal_error', message: 'internal error', request_id: 'request-1' };
const UNAUTHORIZED = { error: 'unauthorized', message: 'missing or invalid credentials', request_id: 'request-1' };
const CAP = { cap: 10_000, resets_at: '2026-12-01T00:00:00.000000Z' };

test.each<[string, ApiError, object]>([
  [
    'has exactly error, message and request_id',
    new ApiError('key_exists', 'taken', { cause: new Error('cause'), allow: ['GET'] }),
    { error: 'key_exists', message: 'taken', request_id: 'request-1' },
  ],
  [
    'also has cap and resets_at for ops_cap_reached',
    new ApiError('ops_cap_reached', 'cap reached', { body: CAP }),
    { error: 'ops_cap_reached', message: 'cap reached', request_id: 'request-1', ...CAP },
  ],
  ['is fixed for a 404', notFound(), { error: 'not_found', message: 'not found', request_id: 'request-1' }],
  ['is fixed for a 401', unauthorized(), UNAUTHORIZED],
  ['is fixed for a 401 with a cause', unauthorized(new Error('expired')), UNAUTHORIZED],
  ['is fixed for a 500', internalError(new Error('SECRET')), INTERNAL],
  ['is fixed for a 500 for an unwritten audit row', rowNotWritten(new Error('SECRET')), INTERNAL],
])('the body of an error %s', (_, error, body) => {
  expect(viewError(error, 'request-1')).toEqual(body);
});

test.each([
  ['an error', new Error('SECRET')],
  ['an error with a code of the catalogue', Object.assign(new Error('SECRET'), { code: 'not_found', status: 404 })],
  ['a string', 'SECRET'],
  ['an object', { code: 'not_found', message: 'SECRET' }],
  ['undefined', undefined],
])('if %s is thrown, it becomes an internal_error without details and with the thrown value as its cause', (...row) => {
  const [, thrown] = row;
  const error = toApiError(thrown);
  expect(viewError(error, 'request-1')).toEqual(INTERNAL);
  expect(error.status).toBe(500);
  expect(error.cause).toBe(thrown);
});

test('an ApiError is returned unchanged', () => {
  const error = new ApiError('key_exists', 'taken');
  expect(toApiError(error)).toBe(error);
});

test('an internal_error is recorded in the audit log, unless its cause is that an audit row could not be written', () => {
  expect(rowNotWritten(new Error('down')).recorded).toBe(false);
  expect(internalError(new Error('down')).recorded).toBe(true);
});
