import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../shared/store/collection.ts';
import { ROOT } from '../sources.ts';
import { Client } from '../support/tenant.ts';
import { checkOut, successor } from './checkouts.ts';
import { Gauge } from './gauge.ts';
import { Ledger } from './ledger.ts';
import { readSeededFaults } from './seeded.ts';

test('the patch that makes a next release applies to today’s sources, and raises the schema version by one', () => {
  using checkout = successor();
  const collection = readFileSync(join(checkout.folder, 'shared/store/collection.ts'), 'utf8');
  expect(collection).toContain(`SCHEMA_VERSION = ${SCHEMA_VERSION + 1};`);
});

test('a checkout of a ref that does not exist throws an error', () => {
  expect(() => checkOut('no-such-release')).toThrow('no-such-release');
});

test.each(readSeededFaults())('the drill can break the rule “$rule”', ({ file, text, faulty, test }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(text)).toHaveLength(2);
  expect(faulty).not.toBe(text);
  expect(() => readFileSync(join(ROOT, test))).not.toThrow();
});

test.each<[string, november: number, december: number, rows: readonly string[], flaws: number]>([
  ['everything is counted and recorded once', 3, 2, ['encrypt'], 0],
  [
    'the failed operation is counted and recorded too',
    4,
    2,
    ['encrypt', 'failed wrap', 'failed wrap internal_error'],
    0,
  ],
  ['an operation is not counted', 2, 2, ['encrypt'], 2],
  ['an operation is counted twice', 3, 3, ['encrypt'], 1],
  ['an operation is counted in the wrong month', 2, 3, ['encrypt'], 2],
  ['an operation is not recorded', 3, 2, [], 1],
  ['an operation is recorded twice', 3, 2, ['encrypt', 'encrypt'], 1],
  ['an operation is recorded as another one', 3, 2, ['decrypt'], 1],
  ['the failed operation is recorded twice', 3, 2, ['encrypt', 'failed wrap', 'failed wrap'], 1],
  ['a refusal that a fault prevented is recorded with its error', 3, 2, ['encrypt', 'refused decrypt unavailable'], 0],
  ['a refused operation is recorded as performed', 3, 2, ['encrypt', 'refused decrypt'], 1],
  ['an unknown request is recorded', 3, 2, ['encrypt', 'unknown encrypt'], 1],
])('if %s, the ledger of the drills reports as many flaws as it should', (_, november, december, rows, flaws) => {
  const ledger = new Ledger();
  const meters = ledger.addKey('key', new Client({ baseUrl: '', controlUrl: '' }, undefined));
  ledger.note('done', { row: 'encrypt', meters }, { least: 1, most: 1 }, '2026-11');
  for (const month of ['2026-11', '2026-12']) ledger.note('', { meters }, { least: 2, most: 2 }, month);
  ledger.note('failed', { row: 'wrap', meters }, { least: 0, most: 1 }, '2026-11');
  ledger.note('refused', { row: 'decrypt', refused: 'key_pending_deletion' }, { least: 0, most: 1 }, '2026-11');
  const line = (ops: number) => [{ key_id: 'key', container_id: 'a', ops, overage_ops: 0, cap: 9, allowance: 9 }];
  const usage = { '2026-11': line(november), '2026-12': line(december) };
  ledger.compareUsage(new Map(Object.entries(usage)));
  ledger.compareRows(
    rows.map((row): [string, string] => {
      const [, id = 'done', name = ''] = /^(failed|refused|unknown)? ?(.+)$/.exec(row) ?? [];
      return [id, name];
    }),
  );
  expect(ledger.flaws).toHaveLength(flaws);
});

test.each<[string, heap: number, direct: number, request: number, faultEvery: number, grown: readonly string[]]>([
  ['nothing grows', 1, 1, 1, 1, []],
  ['memory grows', 1.3, 1, 1, 1, ['MiB in use on the heap']],
  ['requests become slower', 1, 1, 4, 1, ['operations, ms at 0.5', 'operations, ms at 0.95']],
  ['requests and the emulator become slower', 1, 4, 4, 1, []],
  ['requests become slower only during faults', 1, 1, 4, 2, []],
])('if %s, the soak reports this growth and no other', (_, heap, direct, request, faultEvery, grown) => {
  const gauge = new Gauge();
  const call = 'POST /v1/keys/a/encrypt';
  const sent = Array.from({ length: 600 }, (_, at) => {
    const late = (times: number) => (at < 300 ? 1 : times);
    const resources = { 'MiB of memory': 250, 'open files, pipes and sockets': 50, sockets: 25 };
    gauge.readings.push({ at, 'MiB in use on the heap': 60 * late(heap), ...resources });
    gauge.reads.push({ at, tookMs: 20 * late(direct), call: 'direct read from the emulator' });
    return { call, at, tookMs: at % faultEvery === 0 ? 20 * late(request) : 20, answeredBy: '', isExpected: true };
  });
  const lines = gauge.compareThirds(0, 600, sent, (from) => faultEvery === 1 || from % faultEvery !== 0);
  expect(lines.flatMap((line) => /^GROWN: (.*) from/.exec(line)?.[1] ?? [])).toEqual(grown);
});
