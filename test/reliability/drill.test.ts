import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { Tally } from '../../bench/fairness/attack.ts';
import { harmOf } from '../../bench/fairness/report.ts';
import { ROOT } from '../sources.ts';

/** Runs `npm run drill` with these arguments. */
function drill(...args: string[]) {
  const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const program = join(ROOT, 'test/reliability/drill.ts');
  return spawnSync(process.execPath, [program, ...args], { cwd: ROOT, env: { PATH }, encoding: 'utf8' });
}

test.each([[''], ['unknown'], ['toString']])(
  '`npm run drill` lists all drills and exits with 2 if no drill has the name “%s”',
  (name) => {
    const { status, stderr } = drill(name);
    expect(status).toBe(2);
    expect([...stderr.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)).toEqual([
      'crash',
      'faults',
      'fairness',
      'upgrade',
      'restore',
      'races',
      'seeded',
      'soak',
    ]);
  },
);

test('a drill exits with 1 if its options are invalid', () => {
  expect(drill('crash', '--rounds', '0').status).toBe(1);
  expect(drill('soak', '--minutes', '0').status).toBe(1);
  expect(drill('races', '--config', 'nowhere.ts').status).toBe(1);
});

test('the drill “fairness” reports refused requests of the workload whose API key is attacked', () => {
  const quick = new Tally();
  quick.record('200', 1);
  const result = {
    attack: { name: 'wrong secrets', sends: '' },
    other: { before: quick, during: quick, after: quick },
    attacker: [{ outcome: '401 unauthorized', count: 9 }],
    victim: [
      { outcome: '200', count: 2 },
      { outcome: '429 rate_limited', count: 3 },
    ],
  };
  expect(harmOf(result)).toEqual(['wrong secrets: 3 × 429 rate_limited']);
});
