import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWellFormedJson, repeatsMember } from '../../../shared/base/json-members.ts';

test('JSON that JSON.stringify wrote has no member twice, and is well-formed if its texts are', () => {
  const names = fc.constantFrom('a', 'b', '"', '\\', '{', ',', 'é');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, names, fc.integer(), fc.constant(null), tie('list'), tie('members')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    members: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 1), (json, indent) => {
      const text = JSON.stringify(json, null, indent);
      expect(repeatsMember(text)).toBe(false);
      expect(isWellFormedJson(text)).toBe(true);
    }),
  );
});

test.each([
  '{"a":1,"a":1}',
  '{"a":{"b":1,"c":[{"d":1,"e":{},"d":2}]}}',
  '[{"a":[],"\\u0061":{}}]',
  '{"\\"":1, "x" : "a,b" , "\\u0022":2}',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2}',
])('%s has a member twice', (text) => {
  expect(repeatsMember(text)).toBe(true);
});

test.each([
  '{"a":"a","b":["a","a"],"c":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"a\\":1,","A":1}',
  '"a"',
  '{"f":{"a":1},"a":1}',
])('%s has no member twice', (text) => {
  expect(repeatsMember(text)).toBe(false);
});

test('within a member, only what is inside of it counts', () => {
  expect(repeatsMember('{"x":{"a":1,"a":1},"f":[{"a":1}]}', 'f')).toBe(false);
  expect(repeatsMember('{"f":1,"f":[{"a":1}]}', 'f')).toBe(false);
  expect(repeatsMember('{"x":1,"f":[{"b":{"a":1,"a":1}}]}', 'f')).toBe(true);
});

test.each([
  ['{"a":"\\ud83d\\ude00"}', true],
  ['{"a":"\\\\ud800"}', true],
  ['{"a":["\\ud800"]}', false],
  ['{"\\uDFFF":1}', false],
])('%s is well-formed: %s', (text, expected) => {
  expect(isWellFormedJson(text)).toBe(expected);
});
