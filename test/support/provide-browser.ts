/*
 * Finds a browser for the console's tests, or installs one: Debian's where this is root on Debian, otherwise Playwright's.
 * Says so in a line where it cannot; the tests then are skipped, but in CI.
 */
import { spawnSync } from 'node:child_process';
import { findBrowser } from './browser.ts';

const WAYS: readonly (readonly [string, ...string[]])[] = [
  ...(process.getuid?.() === 0
    ? ([
        ['apt-get', 'update', '-qq'],
        ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium'],
      ] as const)
    : []),
  ['playwright-core', 'install', 'chromium', '--no-shell'],
];

for (const [program, ...words] of WAYS) {
  if (findBrowser() !== undefined) break;
  spawnSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
}
if (findBrowser() === undefined) process.stderr.write('no browser: what is tested in one is skipped\n');
