import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../../shared/transparency/canonical-json.ts';
import { formatCheckpoint } from '../../../shared/transparency/checkpoint.ts';
import { encodeEntry } from '../../../shared/transparency/entry.ts';
import { signNote } from '../../../shared/transparency/note.ts';
import { formatRestoration, restorationKey } from '../../../shared/transparency/restoration.ts';
import { encodeHash, hashLeaf, rootOf } from '../../../shared/transparency/tree.ts';
import { formatVerifierKey } from '../../../shared/transparency/verifier-key.ts';
import { makeSigner, privateKeyOf } from './a-log.ts';

const text = fc.string({ unit: 'binary' });
const encode = (entry: Record<string, unknown>) => Buffer.from(encodeEntry(entry)).toString();

const EVENT = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  ts: '2026-10-31T23:59:59.999999Z',
  operation: 'encrypt',
  result: 'error',
  error_code: 'ops_cap_reached',
  request_id: 'req:1',
  key_id: '8f8d4b5e-3c1a-4a77-9d5f-3d1c52a0b6f1',
  api_key_id: '0b0e7f0a-5b0c-4f3e-8c22-4e0f2a9d1c11',
  user_id: null,
};

/** Test data of RFC 8785 (cyberphone/json-canonicalization): the flat objects with text values. */
const VECTORS = [
  [
    'french.json',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    '7b227065616368223a225468697320736f7274696e67206f72646572222c2270c3a96368c3a9223a2269732077726f6e67206163636f7264696e6720746f204672656e6368222c2270c3aa636865223a226275742063616e6f6e6963616c697a6174696f6e204d555354222c2273696e223a2269676e6f7265206c6f63616c65227d',
  ],
  [
    'unicode.json',
    '{"Unnormalized Unicode":"A\\u030a"}',
    '7b22556e6e6f726d616c697a656420556e69636f6465223a2241cc8a227d',
  ],
  [
    'weird.json',
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\u000a":"Newline","1":"One","\\u0080":"Control\\u007f","\\ud83d\\ude02":"Smiley","\\u00f6":"Latin Small Letter O With Diaeresis","\\ufb33":"Hebrew Letter Dalet With Dagesh","</script>":"Browser Challenge"}',
    '7b225c6e223a224e65776c696e65222c225c72223a2243617272696167652052657475726e222c2231223a224f6e65222c223c2f7363726970743e223a2242726f77736572204368616c6c656e6765222c22c280223a22436f6e74726f6c7f222c22c3b6223a224c6174696e20536d616c6c204c6574746572204f205769746820446961657265736973222c22e282ac223a224575726f205369676e222c22f09f9882223a22536d696c6579222c22efacb3223a22486562726577204c65747465722044616c6574205769746820446167657368227d',
  ],
  [
    'the text in values.json',
    '{"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"}',
    '7b22737472696e67223a22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d',
  ],
] as const;

test('a log entry has its fields in alphabetical order, no white space, and null for absent values', () => {
  expect(encode(EVENT)).toBe(
    '{"api_key_id":"0b0e7f0a-5b0c-4f3e-8c22-4e0f2a9d1c11","error_code":"ops_cap_reached",' +
      '"id":"01890a5d-ac96-774b-bcce-b302099a8057","key_id":"8f8d4b5e-3c1a-4a77-9d5f-3d1c52a0b6f1",' +
      '"operation":"encrypt","request_id":"req:1","result":"error","ts":"2026-10-31T23:59:59.999999Z","user_id":null}',
  );
});

test('a log entry has the members of an object in alphabetical order', () => {
  const workload = { subject: 'repo:acme/shop', issuer: 'https://token.actions.githubusercontent.com' };
  expect(encode({ workload, id: 1, list: [true, null, { b: 2, a: 1 }] })).toBe(
    '{"id":1,"list":[true,null,{"a":1,"b":2}],' +
      '"workload":{"issuer":"https://token.actions.githubusercontent.com","subject":"repo:acme/shop"}}',
  );
});

test.each(VECTORS)('a log entry is encoded as in the test data of RFC 8785: %s', (_, json, hex) => {
  expect(Buffer.from(encodeEntry(JSON.parse(json))).toString('hex')).toBe(hex);
});

test('a log entry has the same bytes, whatever the order of its fields', () => {
  const { value: json } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.constantFrom(null, true, false),
      fc.integer(),
      tie('list'),
      tie('members'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    members: fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  }));
  fc.assert(
    fc.property(fc.dictionary(text, json), (entry) => {
      expect(encode(Object.fromEntries(Object.entries(entry).reverse()))).toBe(encode(entry));
      expect(JSON.parse(encode(entry))).toEqual(JSON.parse(JSON.stringify(entry)));
    }),
  );
});

test.each([
  ['[56, {"d": true, "10": null, "1": [ ]}]', '[56,{"1":[],"10":null,"d":true}]'],
  [
    '{"1": {"f": {"f": "hi","F": 5},"\\n": 56.0},"10": {},"": "empty","a": {},"111": [{"e": "yes","E": "no"}],"A": {}}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  [
    '{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],"literals": [null, true, false]}',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
  ],
])('nested JSON is written as in the test data of RFC 8785: %s', (json, canonical) => {
  expect(canonicalJson(JSON.parse(json))).toBe(canonical);
});

test('canonical JSON is the same value, whatever it is nested in', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(JSON.parse(canonicalJson({ of: [value] }))).toEqual(JSON.parse(JSON.stringify({ of: [value] })));
    }),
  );
});

test.each([
  ['a lone surrogate', { request_id: '\ud800' }],
  ['a lone surrogate in a field name', { '\udc00': 'a' }],
  ['a lone surrogate in a list', { changes: [{ field: 'name', before: null, after: '\ud800' }] }],
  ['an infinite number', { a: Number.POSITIVE_INFINITY }],
  ['undefined', { a: undefined }],
  ['a bigint', { a: 1n }],
])('a log entry with %s is refused', (_, entry) => {
  expect(() => encodeEntry(entry)).toThrow(new TypeError('expected JSON with well-formed text'));
});

const page = readFileSync(new URL('../../../docs/audit-format.md', import.meta.url), 'utf8');

/** The secret key of RFC 8032 §7.1, TEST 1, in hexadecimal. */
const SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const NAME = 'encryption-service.local/6f1c0f6e-7a0b-4c9b-9a53-0f4a6b1d2e30';

const created = {
  id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  ts: '2026-11-20T12:00:01.000001Z',
  operation: 'create_key',
  result: 'success',
  error_code: null,
  request_id: 'first',
  key_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  api_key_id: null,
  user_id: '9f3a1c52-3d0e-4b8e-8a52-6f0a3c1d7e11',
  target_id: null,
};
const changed = {
  ...created,
  id: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d',
  ts: '2026-11-20T12:00:02.000000Z',
  operation: 'update_firewall',
  request_id: 'second',
  key_id: null,
  target_id: '550e8400-e29b-41d4-a716-446655440000',
  workload: null,
  changes: [{ field: 'allowed_ips', before: ['192.0.2.0/24'], after: ['192.0.2.0/24', '198.51.100.7/32'] }],
};

test('the code produces exactly the example in docs/audit-format.md', async () => {
  const { key, sign } = makeSigner(NAME, privateKeyOf(Buffer.from(SEED, 'hex')));
  const entries = [created, changed].map(encodeEntry);
  const leaves = entries.map(hashLeaf);
  const root = encodeHash(rootOf(leaves));
  const checkpoint = await signNote(formatCheckpoint({ origin: NAME, size: 2, root }), key, sign);
  for (const entry of entries) expect(page).toContain(`\n${Buffer.from(entry)}\n`);
  for (const leaf of leaves) expect(page).toContain(`\n${encodeHash(leaf)}\n`);
  expect(page).toContain(`\n${formatVerifierKey(key)}\n`);
  expect(page).toContain(`\n${checkpoint}`);
  const from = { size: 1, root: encodeHash(rootOf(leaves.slice(0, 1))) };
  const statement = formatRestoration({ log: NAME, lost: { size: 2, root }, from, number: 1 });
  expect(page).toContain(`\n${await signNote(statement, restorationKey(key), sign)}`);
});
