import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ApiKey, EncryptionServiceError, type Key, type Statement, type Tier } from '../../client/src/index.ts';
import { type ApiKeyInput, changeOf } from '../../console/src/pages/api-keys/input.ts';
import { readFilters, readTime } from '../../console/src/pages/audit/filters.ts';
import { daysToExpiry } from '../../console/src/parts/expiry.ts';
import { roundUp, seriesOf } from '../../console/src/parts/plot-series.ts';
import { ChangedMeanwhile, refuseOverwriting } from '../../console/src/service/changed-meanwhile.ts';
import { OVERAGE_CENTS, projectedCents } from '../../console/src/service/cost.ts';
import { toCsv } from '../../console/src/service/csv.ts';
import { isSame } from '../../console/src/service/lists.ts';
import { daysOf, readPeriod, shiftPeriod } from '../../console/src/service/month.ts';
import { contains } from '../../console/src/service/networks.ts';
import { mayWorkLater } from '../../console/src/service/refusal.ts';
import { retiredByRotation } from '../../console/src/service/versions.ts';
import { isInNetworks, parseNetworks, plainAddress } from '../../shared/tenancy/networks.ts';

const line = (day: string, key_id: string, ops: number) => ({ day, key_id, container_id: 'c', ops });

function keyOf(tier: Tier, enabled: number): Key {
  const created_at = new Date();
  const versions = Array.from(
    { length: enabled },
    (_, at) => ({ version: at + 1, state: 'enabled', created_at }) as const,
  );
  return {
    ...{ id: 'k', name: 'orders', tier, container_id: 'c', state: 'active', created_at },
    ...{ delete_requested_at: null, destroy_after: null, frozen_at: null, primary_version: enabled, versions },
  };
}

test.each([
  ['2026-12-04T00:00:00Z', 14],
  ['2026-12-03T23:59:00Z', 14],
  ['2026-12-04T00:00:00.001Z', undefined],
  ['2026-11-20T00:00:00.001Z', 1],
  ['2026-11-20T00:00:00Z', 0],
  ['2026-11-19T00:00:00Z', 0],
])('on 2026-11-20 at midnight, an API key that expires at %s has %s days', (at, days) => {
  expect(daysToExpiry({ expires_at: new Date(at) }, new Date('2026-11-20T00:00:00Z'))).toBe(days);
});

test('for any number of keys, the series of the usage plot together contain every operation', () => {
  const days = fc.integer({ min: 1, max: 30 }).map((day) => `2026-11-${String(day).padStart(2, '0')}`);
  const lines = fc.array(fc.tuple(days, fc.integer({ min: 0, max: 12 }), fc.nat(1_000_000)));
  fc.assert(
    fc.property(lines, (all) => {
      const series = seriesOf(
        all.map(([day, key, ops]) => line(day, String(key), ops)),
        '2026-11',
      );
      const total = all.reduce((sum, [, , ops]) => sum + ops, 0);
      expect(series.length).toBeLessThanOrEqual(7);
      expect(series.reduce((sum, one) => sum + one.total, 0)).toBe(total);
      expect(series.flatMap((one) => one.days).reduce((sum, ops) => sum + ops, 0)).toBe(total);
    }),
  );
});

test('the usage plot shows the busiest key first, and combines all keys after the sixth in one series', () => {
  const lines = Array.from({ length: 8 }, (_, at) => line('2026-11-03', `key ${at}`, at + 1));
  const series = seriesOf(lines, '2026-11');
  expect(series.map(({ keyId, total }) => [keyId, total])).toEqual([
    ['key 7', 8],
    ['key 6', 7],
    ['key 5', 6],
    ['key 4', 5],
    ['key 3', 4],
    ['key 2', 3],
    [undefined, 3],
  ]);
  expect(series[0]?.days[2]).toBe(8);
});

test.each([
  [1, 1],
  [3, 5],
  [21, 50],
  [100, 100],
  [101, 200],
])('the axis of a plot whose largest value is %d ends at %d', (value, end) => expect(roundUp(value)).toBe(end));

test.each([
  ['free', 1, [1]],
  ['wrapped', 1, [1]],
  ['software', 2, []],
  ['software', 3, [1]],
  ['hsm', 1, []],
  ['hsm', 2, [1]],
] as const)('the next rotation of a %s key with %d enabled versions retires %j', (tier, enabled, retired) => {
  expect(retiredByRotation(keyOf(tier, enabled)).map(({ version }) => version)).toEqual(retired);
});

test('the projected cost of a month is its fees plus the overage if operations continue at the current rate', () => {
  const fields = { key_id: 'k', key_name: 'orders', tier: 'software', days: 30, days_in_month: 30 } as const;
  const statement: Statement = {
    ...{ period: '2026-11', currency: 'usd', total_cents: '1000' },
    lines: [{ ...fields, fee_cents: '1000', ops: 60_000, allowance: 100_000, overage_ops: 0, overage_cents: '0' }],
  };
  expect(projectedCents(statement, OVERAGE_CENTS, 0.5)).toBeCloseTo(1000 + 20_000 * 0.002, 6);
  expect(projectedCents(statement, OVERAGE_CENTS, 1)).toBe(1000);
});

test('editing an API key sends only the changed fields, and never removes the key list by accident', () => {
  const before: ApiKey = {
    ...{ id: 'a', name: 'shop', prefix: 'p', container_id: 'c', created_at: new Date(), last_used_at: null },
    ...{ allowed_actions: ['encrypt', 'decrypt'], key_ids: ['k', 'destroyed'], firewall_id: 'f' },
    ...{ expires_at: null, federations: [], has_token: true },
  };
  const { name, container_id, key_ids, firewall_id } = before;
  const allowed_actions: ApiKeyInput['allowed_actions'] = ['decrypt', 'encrypt'];
  const same = { name, container_id, key_ids, firewall_id, allowed_actions, expires_at: null, federations: [] };
  const change = (input: Partial<ApiKeyInput>) => changeOf(before, { ...same, ...input }, [keyOf('free', 1)]);
  expect(change({})).toEqual({});
  expect(change({ name: 'office' })).toEqual({ name: 'office' });
  expect(change({ firewall_id: null })).toEqual({ firewall_id: null });
  const expires_at = new Date('2027-06-30T12:00:00Z');
  expect(change({ expires_at })).toEqual({ expires_at });
  const seconds = { ...before, expires_at: new Date('2027-06-30T12:00:59.5Z') };
  expect(changeOf(seconds, { ...same, expires_at }, [])).toEqual({});
  const federations = [{ issuer: 'https://issuer.example', claims: { sub: 'job' } }];
  expect(change({ federations })).toEqual({ federations });
  expect(change({ key_ids: ['k'] })).toEqual({ key_ids: ['k'] });
  expect(change({ key_ids: null })).toEqual({ key_ids: null });
  expect(change({ key_ids: ['destroyed'] })).toEqual({ key_ids: ['destroyed'] });
  const unlisted = changeOf({ ...before, key_ids: null }, { ...same, key_ids: ['k', 'destroyed'] }, [keyOf('free', 1)]);
  expect(unlisted).toEqual({ key_ids: ['k'] });
});

test.each([
  [400, 'does not offer'],
  [401, 'offers'],
  [409, 'does not offer'],
  [429, 'offers'],
  [503, 'offers'],
  [undefined, 'offers'],
])('after an error with status %s, the console %s a retry', (status, offers) => {
  expect(mayWorkLater(new EncryptionServiceError('internal_error', '', { status }))).toBe(offers === 'offers');
});

test('the month after December is January of the next year, and February has 28 or 29 days', () => {
  expect([shiftPeriod('2026-12', 1), shiftPeriod('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  expect([daysOf('2026-02'), daysOf('2028-02'), daysOf('2026-11')]).toEqual([28, 29, 30]);
  expect(['2026-13', '2026-1', 'x', '2026-09'].map(readPeriod)).toEqual([undefined, undefined, undefined, '2026-09']);
});

test('the console and the service agree about whether a network contains an address', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6()).map(plainAddress);
  fc.assert(
    fc.property(address, address, fc.nat(128), fc.boolean(), (start, other, length, isStart) => {
      const network = `${start}/${start.includes(':') ? length : length % 33}`;
      const tested = isStart ? start : other;
      expect(contains(network, tested)).toBe(isInNetworks([network], tested));
    }),
  );
  const networks = parseNetworks(['127.0.0.0/9', '::1', '2001:db8::/33', '0.0.0.0/0']);
  const inside = (tested: string) => networks.filter((network) => contains(network, tested));
  expect(inside('127.127.0.1')).toEqual(['127.0.0.0/9', '0.0.0.0/0']);
  expect(inside('127.128.0.1')).toEqual(['0.0.0.0/0']);
  expect(inside('2001:db8:7fff::1')).toEqual(['2001:db8::/33']);
  expect(inside('2001:db8:8000::')).toEqual([]);
});

test('CSV follows RFC 4180: lines end with CRLF, fields are quoted where needed, and null is an empty field', () => {
  const rows = [
    { a: 'x', b: null },
    { a: 'say "hi", you', b: 'two\nlines' },
  ];
  expect(toCsv(rows, ['a', 'b'])).toBe('a,b\r\nx,\r\n"say ""hi"", you","two\nlines"\r\n');
});

test('a time may be entered in RFC 3339, or as a local date with or without a time of day', () => {
  expect(readTime(' 2026-11-01T08:00:00.123456Z ')).toBe('2026-11-01T08:00:00.123456Z');
  expect(readTime('2026-11-01')).toBe(new Date(2026, 10, 1).toISOString());
  expect(readTime('2026-11-01 08:30')).toBe(new Date(2026, 10, 1, 8, 30).toISOString());
  for (const text of ['', 'yesterday', '2026-11', '2026-13-01', '2026-11-01T25:00:00Z']) {
    expect(readTime(text), text).toBeUndefined();
  }
});

test('valid filters in the URL of the audit page reach the API unchanged, and all other parameters are left out', () => {
  const since = '2026-11-01T00:00:00.000001Z';
  const filters = readFilters(
    new URLSearchParams({ since, until: 'never', operation: 'encrypt', result: 'x', key_id: 'k' }),
  );
  expect(JSON.parse(JSON.stringify(filters))).toEqual({ since, operation: 'encrypt', key_id: 'k' });
});

test('two lists with different duplicates are not the same, so a repeated network reaches the service, which refuses it', () => {
  expect(isSame(['a', 'b'], ['b', 'a'])).toBe(true);
  for (const other of [['a', 'a'], ['a'], ['a', 'b', 'b']])
    expect(isSame(other, ['a', 'b']), String(other)).toBe(false);
});

test('a change is refused only if somebody else has changed one of its fields', () => {
  const before = { name: 'ci', allowed_actions: ['encrypt'], key_ids: null };
  const now = { ...before, allowed_actions: ['encrypt', 'decrypt'] };
  expect(() => refuseOverwriting({ name: 'shop' }, before, now)).not.toThrow();
  expect(() => refuseOverwriting({ allowed_actions: [] }, before, now)).toThrow(ChangedMeanwhile);
  expect(() => refuseOverwriting({ key_ids: ['k'] }, before, { ...now, key_ids: ['other'] })).toThrow(ChangedMeanwhile);
});
