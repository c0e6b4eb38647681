import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idBytes, idFromBytes, idSchema, makeId, parseId } from '../../../shared/base/ids.ts';

const ID = '123e4567-e89b-12d3-a456-426614174000';

describe('ids', () => {
  test.each([
    ['lower case', ID],
    ['upper case', ID.toUpperCase()],
    ['mixed case', '123E4567-e89b-12D3-a456-426614174000'],
  ])('a UUID in %s is accepted and returned in lower case', (_, text) => {
    expect(parseId(text)).toBe(ID);
  });

  test.each([
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['the max UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ])('%s is a valid id', (_, text) => {
    expect(parseId(text)).toBe(text);
  });

  test.each([
    ['an empty text', ''],
    ['no hyphens', '123e4567e89b12d3a456426614174000'],
    ['braces', `{${ID}}`],
    ['a URN', `urn:uuid:${ID}`],
    ['a digit that is not hexadecimal', '123e4567-e89b-12d3-a456-42661417400g'],
    ['one digit too few', '123e4567-e89b-12d3-a456-42661417400'],
    ['one digit too many', '123e4567-e89b-12d3-a456-4266141740000'],
    ['hyphens in the wrong places', '123e456-7e89b-12d3-a456-426614174000'],
    ['a line feed at the end', `${ID}\n`],
    ['a line feed instead of the last digit', '123e4567-e89b-12d3-a456-42661417400\n'],
    ['white space around it', ` ${ID.slice(1)}`],
    ['full-width digits', '１23e4567-e89b-12d3-a456-426614174000'],
  ])('text that is not a canonical UUID is not an id: %s', (_, text) => {
    expect(parseId(text)).toBeUndefined();
  });

  test('a new id is a version 4 UUID in lower case, different each time', () => {
    const ids = Array.from({ length: 100 }, () => makeId());
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test('an id converts to its 16 bytes and back', () => {
    expect(idBytes(idFromBytes(Buffer.from('123e4567e89b12d3a456426614174000', 'hex'))).toString('hex')).toBe(
      '123e4567e89b12d3a456426614174000',
    );
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const id = idFromBytes(bytes);
        expect(parseId(id)).toBe(id);
        expect(idBytes(id)).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test.each([0, 15, 17, 32])('a buffer of %i bytes is not an id', (length) => {
    expect(() => idFromBytes(new Uint8Array(length))).toThrow(TypeError);
  });

  test('a stored id must be in lower case', () => {
    expect(idSchema().safeParse(ID).success).toBe(true);
    for (const value of [ID.toUpperCase(), '', null, 7, [ID]]) expect(idSchema().safeParse(value).success).toBe(false);
  });
});
