import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where systems have Chromium or Chrome; a variable may name another place. */
const PLACES = [
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

/** The browser of this machine, `undefined` without one. */
export function findBrowser(): string | undefined {
  return PLACES.find((place) => place !== '' && existsSync(place));
}

/** Why tests in a browser are skipped, if they are: where none can be had, and never in CI. */
export const NO_BROWSER =
  findBrowser() === undefined && !process.env.CI
    ? 'there is no Chromium here, and none could be installed; CHROMIUM may name one'
    : undefined;

/** Starts the browser, with `args` besides. Throws when the machine has none. */
export async function startBrowser(...args: string[]): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error('no Chromium was found; CHROMIUM may name one');
  return chromium.launch({
    executablePath,
    // Chromium's own sandbox does not work for root, whom containers run as.
    args: process.getuid?.() === 0 ? ['--no-sandbox', ...args] : args,
  });
}
