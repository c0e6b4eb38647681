import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  countedOperations,
  idleCost,
  operationCost,
  PRICES,
  runsPerMonth,
  sum,
  tenantCost,
} from '../../deploy/cost.ts';
import { ROOT } from '../sources.ts';
import { EXAMPLE } from './example.ts';

const page = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');
const total = (lines: readonly { dollars: number }[]) => sum(lines.map(({ dollars }) => dollars));

describe('the cost of a deployment', () => {
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
      expect(lines.map(({ dollars }) => dollars)).toEqual(
        lines.map(({ dollars }) => dollars).toSorted((one, other) => other - one),
      );
  });
});
