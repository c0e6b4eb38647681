/*
 * Finds or installs a browser for the tests of the console. If the user is root, it first tries Debian's package, then
 * Playwright’s browser. If both fail, it says so, and tests that need a browser are skipped except in CI.
 */
import { spawnSync } from 'node:child_process';
import { findBrowser } from './browser.ts';

const INSTALL_COMMANDS: readonly (readonly [string, ...string[]])[] = [
  ...(process.getuid?.() === 0
    ? ([
        ['apt-get', 'update', '-qq'],
        ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium'],
      ] as const)
    : []),
  ['playwright-core', 'install', 'chromium', '--no-shell'],
];

for (const [program, ...args] of INSTALL_COMMANDS) {
  if (findBrowser() !== undefined) break;
  spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
if (findBrowser() === undefined) process.stderr.write('no browser found: tests in a browser are skipped\n');
