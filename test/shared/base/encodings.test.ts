import fc from 'fast-check';
import { expect, test } from 'vitest';
import { senderNetwork } from '../../../shared/base/address.ts';
import { decodeBase32, encodeBase32 } from '../../../shared/base/base32.ts';
import { decodeBase64 } from '../../../shared/base/base64.ts';
import { idBytes, idFromBytes, idSchema, makeId, parseId } from '../../../shared/base/ids.ts';
import { isWellFormedJson, repeatsMember } from '../../../shared/base/json-members.ts';

/** Matches groups of four characters, then optionally one padded group whose unused bits are zero. */
const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?$/;

/** The examples of RFC 4648 §10: the plain text, in base64, and in base32 in lower case and without padding. */
const VECTORS = [
  ['', '', ''],
  ['f', 'Zg==', 'my'],
  ['fo', 'Zm8=', 'mzxq'],
  ['foo', 'Zm9v', 'mzxw6'],
  ['foob', 'Zm9vYg==', 'mzxw6yq'],
  ['fooba', 'Zm9vYmE=', 'mzxw6ytb'],
  ['foobar', 'Zm9vYmFy', 'mzxw6ytboi'],
] as const;

test.each(VECTORS)('the RFC 4648 §10 example "%s" is "%s" in base64 and "%s" in base32', (plain, base64, base32) => {
  expect(decodeBase64(base64)?.toString()).toBe(plain);
  expect(encodeBase32(Buffer.from(plain))).toBe(base32);
  expect(decodeBase32(base32)?.toString()).toBe(plain);
});

test.each(['Zg', 'Zm9v\r\n', '\tZm9v', 'Zm9é', '\uff3am9v', 'Zm9v\0', 'data:;base64,Zm9v'])(
  'text that is not base64 is refused: %j',
  (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  },
);

test('decoding base64 reverses encoding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(decodeBase64(text)).toEqual(Buffer.from(bytes));
    }),
  );
});

test('decoding base64 accepts exactly the canonical texts of RFC 4648 §4', () => {
  const unit = fc.constantFrom(...'AQgw/+9z=-_ \n');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      expect(decodeBase64(text) !== undefined).toBe(CANONICAL.test(text));
    }),
    { numRuns: 2000 },
  );
});

test.each(['MZXW6YTB', 'my======', 'mzxw1', 'mz xq', 'mzxq\n', 'mz', 'a', 'mzxw6a', 'mzx😀'])(
  'text that is not base32 is refused: %j',
  (text) => {
    expect(decodeBase32(text)).toBeUndefined();
  },
);

test('decoding base32 reverses encoding, and no two texts decode to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const text = encodeBase32(bytes);
      expect(text).toMatch(/^[a-z2-7]*$/);
      expect(text.length).toBe(Math.ceil((bytes.length * 8) / 5));
      expect(decodeBase32(text)).toEqual(Buffer.from(bytes));
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567'), maxLength: 30 }), (text) => {
      const bytes = decodeBase32(text);
      if (bytes !== undefined) expect(encodeBase32(bytes)).toBe(text);
    }),
  );
});

const ID = '123e4567-e89b-12d3-a456-426614174000';

test.each([
  ...[ID, ID.toUpperCase(), '123E4567-e89b-12D3-a456-426614174000'],
  ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
])('a UUID is accepted and returned in lower case: %s', (text) => {
  expect(parseId(text)).toBe(text.toLowerCase());
});

test.each([
  ...['', '123e4567e89b12d3a456426614174000', `{${ID}}`, `urn:uuid:${ID}`],
  ...['123e4567-e89b-12d3-a456-42661417400g', '123e4567-e89b-12d3-a456-42661417400'],
  ...['123e4567-e89b-12d3-a456-4266141740000', '123e456-7e89b-12d3-a456-426614174000', `${ID}\n`],
  ...['123e4567-e89b-12d3-a456-42661417400\n', ` ${ID.slice(1)}`, '１23e4567-e89b-12d3-a456-426614174000'],
])('text that is not a canonical UUID is not an id: %j', (text) => {
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

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2::', '2001:db8:1:2::'],
  ['2001:db8:1:3::', '2001:db8:1:3::'],
  ['fe80::1%eth0', 'fe80::'],
  ['::1', '::'],
  ['unknown', 'unknown'],
  ['', ''],
])('requests from the address %s count as requests from the network %s', (address, network) => {
  expect(senderNetwork(address)).toBe(network);
});
