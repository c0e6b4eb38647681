/*
 * Finds or installs the programs that tests run: a browser for the console's tests, zsh, promtool, shellcheck, gpg,
 * age, and hvac for Python. If the user is root, it tries Debian's packages, and for a browser then Playwright’s. If a
 * program cannot be had, it says so, and its tests are skipped, those in a browser except in CI.
 */
import { spawnSync } from 'node:child_process';
import { findBrowser, findPythonWithHvac, isInstalled } from './programs.ts';

/** Each program, whether it is there, and its Debian package. */
const PROGRAMS = [
  { name: 'browser', package: 'chromium', isFound: () => findBrowser() !== undefined },
  { name: 'zsh', package: 'zsh', isFound: () => isInstalled('zsh') },
  { name: 'promtool', package: 'prometheus', isFound: () => isInstalled('promtool') },
  { name: 'shellcheck', package: 'shellcheck', isFound: () => isInstalled('shellcheck') },
  { name: 'gpg', package: 'gnupg', isFound: () => isInstalled('gpg') },
  { name: 'age', package: 'age', isFound: () => isInstalled('age') },
  { name: 'hvac', package: 'python3-hvac', isFound: () => findPythonWithHvac() !== undefined },
] as const;

function run(program: string, ...args: readonly string[]): void {
  spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

const missing = PROGRAMS.filter(({ isFound }) => !isFound());
if (missing.length > 0 && process.getuid?.() === 0) {
  run('apt-get', 'update', '-qq');
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing.map((one) => one.package));
}
if (findBrowser() === undefined) run('playwright-core', 'install', 'chromium', '--no-shell');
for (const { name } of PROGRAMS.filter(({ isFound }) => !isFound())) {
  process.stderr.write(`no ${name} found: its tests are skipped\n`);
}
