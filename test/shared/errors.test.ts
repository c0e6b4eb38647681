import { describe, expect, test } from 'vitest';
import {
  ApiError,
  CATALOGUE,
  ERROR_CODES,
  type ErrorCode,
  internalError,
  isErrorCode,
  notFound,
  rowNotWritten,
  toApiError,
  unauthorized,
  viewError,
} from '../../shared/errors.ts';

/** Every specified error code, by its status. */
const TABLE: Readonly<Record<number, readonly string[]>> = {
  400: [
    ...['invalid_request', 'invalid_base64', 'invalid_dek_length', 'invalid_ciphertext', 'invalid_name'],
    ...['invalid_tier', 'invalid_container', 'invalid_query', 'invalid_period', 'invalid_allowed_actions'],
    ...['invalid_key_ids', 'invalid_firewall', 'invalid_expires_at', 'invalid_federations', 'invalid_allowed_ips'],
    ...['invalid_role'],
  ],
  401: ['unauthorized'],
  402: ['billing_required'],
  403: [
    ...['api_key_required', 'session_required', 'ip_not_allowed', 'key_not_allowed', 'action_not_allowed'],
    ...['role_not_allowed', 'no_tenant'],
  ],
  404: ['not_found'],
  405: ['method_not_allowed'],
  409: [
    ...['key_pending_deletion', 'key_frozen', 'key_exists', 'free_key_exists', 'not_pending_deletion'],
    ...['restore_window_closed', 'container_exists', 'container_is_default', 'container_not_empty'],
    ...['firewall_exists', 'firewall_in_use', 'already_member', 'last_owner', 'limit_reached', 'billing_active'],
    ...['billing_not_set_up'],
  ],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited', 'ops_cap_reached'],
  500: ['internal_error'],
  503: ['unavailable'],
};

describe('the error catalogue', () => {
  test('the error catalogue has exactly the specified codes and statuses', () => {
    const statuses = Map.groupBy(ERROR_CODES, (code) => new ApiError(code, 'a message').status);
    expect(Object.fromEntries(statuses)).toEqual(TABLE);
    expect(ERROR_CODES.every(isErrorCode)).toBe(true);
  });

  test.each(['', 'INVALID_REQUEST', 'teapot', 'toString', '__proto__', 'constructor'])(
    '"%s" is not an error code',
    (text) => {
      expect(isErrorCode(text)).toBe(false);
    },
  );

  test('the audit log never has errors that say that the caller, the key or the route is unknown, and has all others of operations', () => {
    const recorded = (codes: readonly ErrorCode[]) => codes.filter((code) => CATALOGUE[code].recorded);
    expect(
      recorded([
        ...(['unauthorized', 'ip_not_allowed', 'no_tenant', 'api_key_required', 'session_required'] as const),
        ...(['rate_limited', 'payload_too_large', 'not_found', 'method_not_allowed'] as const),
      ]),
    ).toEqual([]);
    const failures = [
      ...(['action_not_allowed', 'key_not_allowed', 'billing_required', 'ops_cap_reached'] as const),
      ...(['invalid_request', 'unsupported_media_type', 'invalid_base64', 'invalid_dek_length'] as const),
      ...(['invalid_ciphertext', 'invalid_name', 'invalid_tier', 'invalid_container'] as const),
      ...(['key_pending_deletion', 'key_frozen', 'key_exists', 'free_key_exists', 'limit_reached'] as const),
      ...(['not_pending_deletion', 'restore_window_closed', 'unavailable', 'internal_error'] as const),
    ];
    expect(recorded(failures)).toEqual(failures);
  });
});

describe('an error body', () => {
  test('the body of an error has exactly error, message and request_id', () => {
    const error = new ApiError('key_exists', 'a message', { cause: new Error('cause'), allow: ['GET'] });
    expect(viewError(error, 'request-1')).toEqual({
      error: 'key_exists',
      message: 'a message',
      request_id: 'request-1',
    });
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
