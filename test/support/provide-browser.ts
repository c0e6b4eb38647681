/*
 * Finds or installs a browser for the tests of the console. Installs the Debian package if it runs as root on Debian, and
 * Playwright’s browser otherwise. If that fails, it prints the reason, and the tests are skipped except in CI.
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
