import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { changesField, withinLimit } from '../../shared/audit/changes.ts';
import { MARK_SHARDS, markUnsealed } from '../../shared/audit/unsealed.ts';
import { makeInstant } from '../../shared/base/clock.ts';
import { makeId, type TenantId } from '../../shared/base/ids.ts';
import { Marks } from '../../shared/store/marks.ts';
import { Writes } from '../../shared/store/writes.ts';
import { canonicalJson } from '../../shared/transparency/canonical-json.ts';

const LIMIT = 16 * 1024;
const bytesOf = (value: unknown) => Buffer.byteLength(canonicalJson(value));
const digestOf = (value: unknown, count: number) => ({
  sha256: createHash('sha256').update(canonicalJson(value)).digest('hex'),
  count,
});
const change = (field: string, before: unknown, after: unknown) => ({ field, before, after });

/** Returns a change whose list has exactly this many bytes. */
function changeOf(bytes: number) {
  return [change('note', null, 'a'.repeat(bytes - bytesOf([change('note', null, '')])))];
}

test('changes of at most 16 KiB are kept, and longer ones are not', () => {
  const [most, more] = [changeOf(LIMIT), changeOf(LIMIT + 1)];
  expect(bytesOf(most)).toBe(LIMIT);
  expect(withinLimit(most)).toEqual(most);
  expect(withinLimit(more)).toEqual([change('note', null, digestOf(more[0]?.after, String(more[0]?.after).length))]);
});

test('the longest value is replaced first, then the next, until the changes fit', () => {
  const [long, longer, longest] = [9_000, 10_000, 11_000].map((length) => Array(length / 2).fill(1));
  const changes = [change('key_ids', long, longest), change('name', 'a', 'b'), change('allowed_ips', null, longer)];
  expect(withinLimit(changes)).toEqual([
    change('key_ids', long, digestOf(longest, 5_500)),
    change('name', 'a', 'b'),
    change('allowed_ips', null, digestOf(longer, 5_000)),
  ]);
  expect(bytesOf(withinLimit(changes))).toBeLessThanOrEqual(LIMIT);
});

test('a replaced text has its number of characters, a replaced object its number of members', () => {
  const claims = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`claim ${n}`, 'x'.repeat(1_000)]));
  expect(withinLimit([change('federations', claims, '😀'.repeat(5_000))])).toEqual([
    change('federations', digestOf(claims, 20), digestOf('😀'.repeat(5_000), 5_000)),
  ]);
});

test('the length is that of the JSON in UTF-8', () => {
  const text = 'é'.repeat(9_000);
  expect(withinLimit([change('name', null, text)])).toEqual([change('name', null, digestOf(text, 9_000))]);
});

test('changes are stored as canonical JSON and read unchanged, whatever the names of their members', () => {
  const claims = JSON.parse('{"__proto__":"a","ts":"b","repository_id":7}');
  const changes = [change('federations', [], [{ issuer: 'https://ci.example', claims }])];
  const stored = changesField.encode(changes);
  expect(stored).toBe(canonicalJson(changes));
  expect(canonicalJson(changesField.decode(stored))).toBe(stored);
  for (const malformed of ['{', '{}', '[{}]']) expect(changesField.safeDecode(malformed).success).toBe(false);
});

test('if many tenants write audit rows at the same moment, the documents that mark tenants with unsealed rows use all index shards', () => {
  const shards = new Set<number>();
  const none = () => undefined;
  const target = { create: none, set: (_: string, { shard }: { shard?: number }) => shards.add(shard ?? -1) };
  const writes = new Writes({ ...target, merge: none, update: none, delete: none }, new Marks());
  for (let tenant = 0; tenant < 300; tenant++) {
    markUnsealed(writes, { tenant_id: makeId<TenantId>(), ts: makeInstant(0) });
  }
  expect([...shards].sort((one, other) => one - other)).toEqual(MARK_SHARDS);
});
