import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Whether a program with this name can be started. */
export function isInstalled(program: string): boolean {
  return spawnSync('which', [program], { stdio: 'ignore' }).status === 0;
}

/** Returns a Python that has hvac, a client for Vault, if there is one. Debian's package is for Debian's Python. */
export function findPythonWithHvac(): string | undefined {
  return ['/usr/bin/python3', 'python3'].find((python) => spawnSync(python, ['-c', 'import hvac']).status === 0);
}

/** The usual paths of Chromium and Chrome, after the path in the environment variable `CHROMIUM`, if any. */
const PATHS = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  chromium.executablePath(),
];

/** Returns the path of this machine’s browser, or `undefined` if no browser is found. */
export function findBrowser(): string | undefined {
  return PATHS.find((place) => place !== '' && existsSync(place));
}

/** The reason to skip tests that need a browser; `undefined` if a browser is found, and always in CI. */
export const NO_BROWSER =
  findBrowser() === undefined && !process.env.CI
    ? 'Chromium was not found and could not be installed; set CHROMIUM to the path of a browser'
    : undefined;

/** Starts the browser with additional `args`. Throws if no browser is found. */
export async function startBrowser(...args: string[]): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('Chromium was not found; set CHROMIUM to the path of a browser');
  return chromium.launch({
    executablePath,
    // Chromium's sandbox does not work for root, the usual user in containers.
    args: process.getuid?.() === 0 ? ['--no-sandbox', ...args] : args,
  });
}
