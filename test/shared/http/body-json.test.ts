import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseShape } from '../../../shared/http/body.ts';
import { malformed, parse, refusal } from './read-json.ts';

describe('a JSON body', () => {
  test('a JSON body is read across chunks, even if a chunk ends inside a character', async () => {
    const bytes = Buffer.from('{"value":"é€😀"}');
    for (let cut = 1; cut < bytes.length; cut += 3) {
      expect(await parse(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual({ value: 'é€😀' });
    }
  });

  test('unknown fields are ignored, and optional fields may be absent or null', async () => {
    expect(await parse('{"value":"a","addd":"b","x":{"y":[1]}}')).toEqual({ value: 'a' });
    expect(await parse('{"value":"a","note":null}')).toEqual({ value: 'a', note: null });
  });

  test.each([
    ['an empty body', ''],
    ['only white space', ' \n'],
    ['text that is not JSON', 'value=a'],
    ['truncated JSON', '{"value":"a"'],
    ['two values', '{"value":"a"}{"value":"b"}'],
    ['a trailing comma', '{"value":"a",}'],
    ['single quotes', "{'value':'a'}"],
    ['a comment', '{"value":"a"} // a'],
    ['NaN', '{"value":NaN}'],
    ['a control character in a string', '{"value":"a\u0001"}'],
    ['a byte order mark', '\ufeff{"value":"a"}'],
    ['an array', '[{"value":"a"}]'],
    ['a string', '"value"'],
    ['a number', '7'],
    ['null', 'null'],
    ['a missing field', '{}'],
    ['a field of another type', '{"value":7}'],
    ['a required field that is null', '{"value":null}'],
    ['an optional field of another type', '{"value":"a","note":[]}'],
    ['a required field only in the prototype', '{"__proto__":{"value":"a"}}'],
    ['brackets nested as deep as the size limit allows', '['.repeat(65_536) + ']'.repeat(65_536)],
    ['brackets that are never closed', '['.repeat(131_072)],
  ])('a malformed body is refused: %s', async (_, body) => {
    await expect(parse(body)).rejects.toEqual(malformed);
  });

  test.each([
    ['a byte that starts no character', [0xff]],
    ['a truncated character', [0xc3]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['Latin-1', [0xe9]],
  ])('a body that is not UTF-8 is refused: %s', async (_, bytes) => {
    await expect(parse('{"value":"', Buffer.from(bytes), '"}')).rejects.toEqual(malformed);
  });

  test('a body in UTF-16 is refused', async () => {
    await expect(parse(Buffer.from('{"value":"a"}', 'utf16le'))).rejects.toEqual(malformed);
  });

  test.each([
    ['', 'it is empty'],
    ['{', 'it is not JSON encoded as UTF-8'],
    ['[]', 'it must be an object'],
    ['{}', 'value is required'],
    ['{"value":7}', 'value must be a string'],
    ['{"value":null}', 'value must be a string'],
    ['{"value":"a","note":[]}', 'note must be a string'],
  ])('the body %j is refused with this message: %s', async (body, message) => {
    await expect(parse(body)).rejects.toEqual(refusal('invalid_request', `^invalid request body: ${message}$`));
  });

  test.each([
    [{ names: 'a' }, 'names must be an array'],
    [{ names: ['a', 7] }, 'names.1 must be a string'],
    [{ names: [], colour: 'red' }, 'it has the unknown field "colour"'],
    [{ names: [], size: 3 }, 'size must be 1 or 2'],
    [{ names: [], one: 2 }, 'one is not valid'],
  ])('the body %j, which has the wrong shape, is refused with this message: %s', (body, message) => {
    const size = z.literal([1, 2], 'must be 1 or 2').optional();
    const shape = z.strictObject({ names: z.array(z.string()), size, one: z.literal(1).optional() });
    expect(() => parseShape(body, shape)).toThrow(`invalid request body: ${message}`);
  });

  test.each([
    '{"value":SECRET}',
    'SECRET',
    '{"value":"SECRET"',
    '{"value":["SECRET"]}',
    '{"value":{"SECRET":1}}',
    '{"value":7,"SECRET":"SECRET"}',
    '{"value":"a","note":{"SECRET":"SECRET"}}',
    '["SECRET"]',
    '"SECRET"',
  ])('the error for a malformed body does not quote the body: %s', async (body) => {
    const refused = parse(body);
    await expect(refused).rejects.toEqual(malformed);
    await expect(refused).rejects.not.toThrow('SECRET');
  });
});
