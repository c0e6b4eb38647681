import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/cli/environment.ts';
import { checkpointPath } from '../../src/cli/sealed-log/kept-checkpoint.ts';

/** The home of the account. Without `HOME`, Node reads it from the system. */
function homeOfAccount(): string {
  const { HOME } = process.env;
  delete process.env.HOME;
  try {
    return homedir();
  } finally {
    if (HOME !== undefined) process.env.HOME = HOME;
  }
}

test.each([
  ['$XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/config', HOME: '/home/ada' }, '/config'],
  ['$HOME', { HOME: '/home/ada' }, '/home/ada/.config'],
  ['$HOME if $XDG_CONFIG_HOME is relative', { XDG_CONFIG_HOME: 'config', HOME: '/home/ada' }, '/home/ada/.config'],
  ['the home of the account if $HOME is empty', { HOME: '' }, `${homeOfAccount()}/.config`],
  ['the home of the account if $HOME is relative', { HOME: '.' }, `${homeOfAccount()}/.config`],
])('the profile is in %s, never in the current folder', (_, env, base) => {
  expect(readEnvironment(env).folder).toBe(`${base}/esk`);
});

test('checkpoints are never in the current folder', () => {
  const env = { HOME: '', XDG_STATE_HOME: 'state' };
  const path = `${homeOfAccount()}/.local/state/esk/checkpoints/esk.example/1.txt`;
  expect(checkpointPath('https://esk.example', '1', env)).toBe(path);
});
