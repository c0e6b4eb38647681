import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64, toBase64 } from '../src/api/base64.ts';
import { decodeAnswer, encodeBody, encodeQuery } from '../src/api/json.ts';
import { Timestamp } from '../src/api/timestamp.ts';

const FORMATS = { bytes: ['plaintext', 'aad'], times: ['created_at', 'destroy_after'], json: ['after'] };

test('bytes, up to the largest plaintext, are encoded as standard base64 with padding, and decoded again', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(toBase64(bytes)).toBe(text);
      expect(fromBase64(text)).toEqual(Uint8Array.from(bytes));
    }),
    { examples: [[new Uint8Array(65_536).map((_, at) => at % 251)]] },
  );
  expect(() => fromBase64('a*b=')).toThrow();
});

test.each([
  [
    { plaintext: Buffer.from('Hello'), aad: new TextEncoder().encode('order 42') },
    '{"plaintext":"SGVsbG8=","aad":"b3JkZXIgNDI="}',
  ],
  [{ plaintext: new Uint8Array(1), aad: null }, '{"plaintext":"AA==","aad":null}'],
  [{ plaintext: new Uint8Array(1), aad: undefined }, '{"plaintext":"AA=="}'],
])('bytes are sent in base64, and null and undefined unchanged: %j', (body, sent) => {
  expect(encodeBody(body, FORMATS)).toBe(sent);
});

test.each(['SGVsbG8=', [72, 101], new ArrayBuffer(2), {}, 7])(
  'the value %j is refused in a field for bytes',
  (plaintext) => {
    expect(() => encodeBody({ plaintext }, FORMATS)).toThrow(new TypeError('plaintext must be a Uint8Array'));
  },
);

test('base64 fields and timestamps are decoded at any depth of an answer; other text and an unset time are unchanged', () => {
  const json =
    '{"name":"2026-11-20T10:11:12Z","versions":[{"created_at":"2026-11-20T10:11:12.123456Z"}],"aad":"AAE=","destroy_after":null}';
  expect(decodeAnswer(json, FORMATS)).toEqual({
    name: '2026-11-20T10:11:12Z',
    versions: [{ created_at: new Date('2026-11-20T10:11:12.123Z') }],
    aad: Uint8Array.of(0, 1),
    destroy_after: null,
  });
});

test.each(['{"created_at":"soon"}', '{"aad":"?"}', '{"aad"', ''])(
  'an answer with invalid JSON or an invalid field value is refused: %j',
  (json) => {
    expect(() => decodeAnswer(json, FORMATS)).toThrow();
  },
);

test('a timestamp is a Date that keeps its microseconds in JSON and in a query, until it is changed', () => {
  const time = new Timestamp('2026-11-20T10:11:12.123456Z');
  expect(time).toBeInstanceOf(Date);
  expect(time.getTime()).toBe(Date.UTC(2026, 10, 20, 10, 11, 12, 123));
  expect(JSON.stringify({ time })).toBe('{"time":"2026-11-20T10:11:12.123456Z"}');
  expect(encodeQuery({ since: time })).toBe('?since=2026-11-20T10%3A11%3A12.123456Z');
  time.setUTCFullYear(2027);
  expect(time.toJSON()).toBe('2027-11-20T10:11:12.123Z');
});

test('a query string contains the escaped parameters, and is empty if there are no parameters', () => {
  expect(encodeQuery({ limit: 10, operation: 'a b&c', until: undefined })).toBe('?limit=10&operation=a+b%26c');
  expect(encodeQuery({ until: undefined })).toBe('');
  expect(encodeQuery()).toBe('');
});
