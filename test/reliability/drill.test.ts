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

test.each([[''], ['unknown'], ['toString']])('the unknown drill “%s” is answered with a list of all drills', (name) => {
  const { status, stderr } = drill(name);
  expect(status).toBe(2);
  expect([...stderr.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)).toEqual([
    'crash',
    'faults',
    'fairness',
    'upgrade',
    'restore',
    'races',
    'soak',
  ]);
});

test('a drill that cannot run fails', () => {
  expect(drill('crash', '--rounds', '0').status).toBe(1);
  expect(drill('soak', '--minutes', '0').status).toBe(1);
  expect(drill('races', '--config', 'nowhere.ts').status).toBe(1);
});
