import { describe, expect, test } from 'vitest';
import {
  ApiError,
  CATALOGUE,
  ERROR_CODES,
  internalError,
  isErrorCode,
  notFound,
  rowNotWritten,
  toApiError,
  unauthorized,
  viewError,
} from '../../shared/errors.ts';

/** Every specified error code with its status. */
const TABLE: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_base64: 400,
  invalid_dek_length: 400,
  invalid_ciphertext: 400,
  invalid_name: 400,
  invalid_tier: 400,
  invalid_container: 400,
  invalid_query: 400,
  invalid_period: 400,
  invalid_allowed_actions: 400,
  invalid_key_ids: 400,
  invalid_firewall: 400,
  invalid_expires_at: 400,
  invalid_federations: 400,
  invalid_allowed_ips: 400,
  invalid_role: 400,
  unauthorized: 401,
  billing_required: 402,
  api_key_required: 403,
  session_required: 403,
  ip_not_allowed: 403,
  key_not_allowed: 403,
  action_not_allowed: 403,
  role_not_allowed: 403,
  no_tenant: 403,
  not_found: 404,
  method_not_allowed: 405,
  key_pending_deletion: 409,
  key_frozen: 409,
  key_exists: 409,
  free_key_exists: 409,
  not_pending_deletion: 409,
  restore_window_closed: 409,
  container_exists: 409,
  container_is_default: 409,
  container_not_empty: 409,
  firewall_exists: 409,
  firewall_in_use: 409,
  already_member: 409,
  last_owner: 409,
  limit_reached: 409,
  billing_active: 409,
  billing_not_set_up: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  ops_cap_reached: 429,
  internal_error: 500,
  unavailable: 503,
};

describe('the error catalogue', () => {
  test('the error catalogue has exactly the specified codes and statuses', () => {
    const statuses = Object.entries(CATALOGUE).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(statuses)).toEqual(TABLE);
    expect([...ERROR_CODES].sort()).toEqual(Object.keys(TABLE).sort());
  });

  test.each(Object.entries(TABLE))('the error code %s has status %i', (code, status) => {
    expect(isErrorCode(code) && new ApiError(code, 'a message').status).toBe(status);
  });

  test.each(['', 'INVALID_REQUEST', 'teapot', 'toString', '__proto__', 'constructor'])(
    '"%s" is not an error code',
    (text) => {
      expect(isErrorCode(text)).toBe(false);
    },
  );

  test.each([
    'unauthorized',
    'ip_not_allowed',
    'no_tenant',
    'api_key_required',
    'session_required',
    'rate_limited',
    'payload_too_large',
    'not_found',
    'method_not_allowed',
  ] as const)('the error %s is never recorded in the audit log', (code) => {
    expect(CATALOGUE[code].recorded).toBe(false);
  });

  test.each([
    'action_not_allowed',
    'key_not_allowed',
    'billing_required',
    'ops_cap_reached',
    'invalid_request',
    'unsupported_media_type',
    'invalid_base64',
    'invalid_dek_length',
    'invalid_ciphertext',
    'invalid_name',
    'invalid_tier',
    'invalid_container',
    'key_pending_deletion',
    'key_frozen',
    'key_exists',
    'free_key_exists',
    'limit_reached',
    'not_pending_deletion',
    'restore_window_closed',
    'unavailable',
    'internal_error',
  ] as const)('the error %s is recorded in the audit log as a failed operation', (code) => {
    expect(CATALOGUE[code].recorded).toBe(true);
  });
});

describe('an error body', () => {
  test.each(ERROR_CODES)('the body of a %s error has exactly error, message and request_id', (code) => {
    const error = new ApiError(code, 'a message', { cause: new Error('cause'), allow: ['GET'] });
    expect(viewError(error, 'request-1')).toEqual({ error: code, message: 'a message', request_id: 'request-1' });
  });

  test('the body of an ops_cap_reached error also has cap and resets_at', () => {
    const body = { cap: 10_000, resets_at: '2026-12-01T00:00:00.000000Z' };
    const error = new ApiError('ops_cap_reached', 'monthly operation cap reached', { body });
    expect(viewError(error, 'request-1')).toEqual({
      error: 'ops_cap_reached',
      message: 'monthly operation cap reached',
      request_id: 'request-1',
      cap: 10_000,
      resets_at: '2026-12-01T00:00:00.000000Z',
    });
  });
});

describe('fixed messages', () => {
  test.each([
    ['404', notFound(), 'not_found', 'not found'],
    ['401', unauthorized(), 'unauthorized', 'missing or invalid credentials'],
    ['401 with a cause', unauthorized(new Error('expired')), 'unauthorized', 'missing or invalid credentials'],
    ['500', internalError(new Error('SECRET')), 'internal_error', 'internal error'],
    ['500 for an unwritten audit row', rowNotWritten(new Error('SECRET')), 'internal_error', 'internal error'],
  ])('the body of a %s has a fixed message', (_, error, code, message) => {
    expect(viewError(error, 'request-1')).toEqual({ error: code, message, request_id: 'request-1' });
  });
});

describe('conversion of thrown values', () => {
  test.each([
    ['an error', new Error('SECRET')],
    [
      'an error with a code of the error catalogue',
      Object.assign(new Error('SECRET'), { code: 'not_found', status: 404 }),
    ],
    ['a string', 'SECRET'],
    ['an object', { code: 'not_found', message: 'SECRET' }],
    ['undefined', undefined],
  ])(
    'if %s is thrown, it becomes an internal_error without details and with the thrown value as its cause',
    (_, thrown) => {
      const error = toApiError(thrown);
      expect(viewError(error, 'request-1')).toEqual({
        error: 'internal_error',
        message: 'internal error',
        request_id: 'request-1',
      });
      expect(error.status).toBe(500);
      expect(error.cause).toBe(thrown);
    },
  );

  test('an ApiError is returned unchanged', () => {
    const error = new ApiError('key_exists', 'taken');
    expect(toApiError(error)).toBe(error);
  });
});

test('an internal_error is recorded in the audit log, unless its cause is that an audit row could not be written', () => {
  expect(rowNotWritten(new Error('down')).recorded).toBe(false);
  expect(internalError(new Error('down')).recorded).toBe(true);
});
