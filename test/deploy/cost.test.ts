import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  countedOperations,
  idleCost,
  operationCost,
  PRICES,
  runsPerMonth,
  sum,
  tenantCost,
} from '../../deploy/cost.ts';
import { busiestPart, LIMITS, rampMinutes, refusedPart } from '../../deploy/scale.ts';
import { ROOT } from '../sources.ts';
import { EXAMPLE } from './recorded.ts';

const page = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');
const total = (lines: readonly { dollars: number }[]) => sum(lines.map(({ dollars }) => dollars));

test.for([
  ['Firestore read', 'Firestore read', 100_000],
  ['Firestore write', 'Firestore write', 100_000],
  ['Firestore storage', 'Firestore GiB', 1],
  ['KMS call', 'KMS call', 10_000],
  ['KMS version, `SOFTWARE`', 'KMS version, SOFTWARE', 1],
  ['KMS version, `HSM`', 'KMS version, HSM', 1],
  ['API Gateway call', 'gateway call', 1_000_000],
  ['Cloud Run request', 'Cloud Run request', 1_000_000],
  ['Cloud Run vCPU', 'vCPU second', 1],
  ['Cloud Run memory', 'GiB second', 1],
  ['log', 'log GiB', 1],
  ['alert', 'alert condition', 1],
] as const)('the price of “%s” is the one on the page about performance', ([row, name, units]) => {
  const [, price] = new RegExp(`^\\| ${row} \\| \\$([\\d.]+) \\|`, 'm').exec(page) ?? [];
  expect(PRICES[name] * units).toBeCloseTo(Number(price), 9);
});

test.for([
  ['*/5 * * * *', 8_640],
  ['*/10 * * * *', 4_320],
  ['15,45 0 1 * *', 2],
  ['30 1-23 * * *', 690],
] as const)('the schedule %s runs %i times in 30 days', ([cron, runs]) => {
  expect(runsPerMonth(cron)).toBe(runs);
});

test('each alert condition is counted, and a domain adds its load balancer', () => {
  const [alerts] = idleCost(EXAMPLE).filter(({ what }) => what === 'alert conditions');
  expect(alerts?.dollars).toBe((alerts?.count ?? 0) * 1.5);
  const more = total(idleCost({ ...EXAMPLE, apiOrigin: 'https://api.example.com' })) - total(idleCost(EXAMPLE));
  // The forwarding rule, and the balancer's secret.
  expect(more).toBeCloseTo(18.25 + 0.06, 9);
});

test('a million operations cost what the page about performance says, plus Data Access logs and stored audit rows', () => {
  const [first] = countedOperations();
  if (first === undefined) throw new Error('no counts');
  const lines = operationCost(first, 1_000_000);
  const others = lines.filter(({ what }) => what !== 'Data Access logs' && !what.startsWith('audit rows'));
  expect(first).toMatchObject({ operation: 'encrypt', tier: 'wrapped', inFlight: 1 });
  expect(total(others)).toBeCloseTo(6.25, 1);
});

test('the largest line is the first', () => {
  for (const lines of [idleCost(EXAMPLE), tenantCost(EXAMPLE, 10), tenantCost(EXAMPLE, 1000)])
    expect(lines).toEqual(lines.toSorted((one, other) => other.dollars - one.dollars));
});

test('today’s deployment exceeds no limit', () => {
  expect(LIMITS.filter(({ needed, limit }) => needed > limit)).toEqual([]);
});

test.for([
  [500, 0],
  [501, 5],
  [750, 5],
  [10_000, 40],
] as const)('traffic needs to grow for %i writes a second for %i minutes', ([writes, minutes]) => {
  expect(rampMinutes(writes)).toBe(minutes);
});

const shares = { instances: 8, perSecond: 40, patienceMs: 250 };

test('one instance refuses exactly what exceeds its share, once its burst is used up', () => {
  expect(Math.abs(refusedPart({ ...shares, instances: 1 }, 80, 1_000) - 0.5)).toBeLessThan(0.02);
});

test('far below the shares, nothing is refused; far above, the surplus', () => {
  expect(refusedPart(shares, 100)).toBe(0);
  expect(refusedPart(shares, 640)).toBeCloseTo(0.5, 1);
});

test('the same simulation has the same result each time', () => {
  expect(refusedPart(shares, 320)).toBe(refusedPart(shares, 320));
});

test('one part has the mean traffic, and many parts differ more than few', () => {
  expect(busiestPart(1, 1_000)).toBe(1);
  expect(busiestPart(64, 1_000)).toBeGreaterThan(busiestPart(4, 1_000));
});
