import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
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
