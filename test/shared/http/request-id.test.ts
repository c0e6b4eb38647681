import { describe, expect, test } from 'vitest';
import { requestId } from '../../../shared/http/request-id.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the request id', () => {
  test.each([
    ['one character', 'a'],
    ['128 characters', 'a'.repeat(128)],
    ['every accepted character', 'ABCXYZabcxyz0189_.:-'],
    ['only punctuation', '_.:-'],
    ['a UUID in upper case', '123E4567-E89B-12D3-A456-426614174000'],
  ])('a valid id from the client is used: %s', (_, header) => {
    expect(requestId(header)).toBe(header);
  });

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['129 characters', 'a'.repeat(129)],
    ['a space inside', 'a b'],
    ['a space at the end', 'a '],
    ['a comma', 'a,b'],
    ['a slash', 'a/b'],
    ['a plus sign', 'a+b'],
    ['a quotation mark', 'a"b'],
    ['a line feed at the end', 'a\n'],
    ['a second line', 'a\r\nb'],
    ['a zero byte', 'a\0'],
    ['a non-ASCII letter', 'é'],
    ['a full-width digit', '\uff11'],
    ['several headers', ['a', 'b']],
  ])('an invalid id from the client is replaced by a new UUID: %s', (_, header) => {
    expect(requestId(header)).toMatch(UUID);
  });

  test('every new request id is different', () => {
    expect(new Set(Array.from({ length: 100 }, () => requestId(undefined))).size).toBe(100);
  });
});
