import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { consoleOriginOf, portsOf } from '../../emulators/stack/ports.ts';
import type { Addresses } from './client.ts';
import { ownStack } from './own-stack.ts';
import { NO_BROWSER, startBrowser } from './programs.ts';
import { makeTenant } from './tenant.ts';

/** Returns the address of the stack's console. */
export const consoleUrl = (stack: Addresses): string => consoleOriginOf(portsOf(stack));

/** A page of the console, and the errors that the browser has reported. */
export interface ConsolePage {
  readonly page: Page;
  /** Uncaught script errors, and violations of the page’s security policies. */
  readonly complaints: readonly string[];
}

/** Opens an address of the console in a browser without a session. */
export async function openConsole(
  browser: Browser,
  stack: Addresses,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    const text = message.text();
    if (/content security policy|trusted ?type|permissions policy/i.test(text)) complaints.push(text);
  });
  await page.goto(`${consoleUrl(stack)}${path}`);
  return { page, complaints };
}

/** The person who signs in at the local provider's page. */
interface Subject {
  readonly subject: string;
  readonly name?: string;
}

/** Signs a person in at the local provider's page. */
export async function signInAs(page: Page, { subject, name = '' }: Subject): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Subject').fill(subject);
  await page.getByLabel('Name (optional)').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main#page h1').waitFor();
}

/** Opens an address of the console and signs the person in. */
export async function openAs(
  browser: Browser,
  stack: Addresses,
  person: Subject,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const opened = await openConsole(browser, stack, path, options);
  await signInAs(opened.page, person);
  return opened;
}

/** Follows the link with the given name in the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Presses a button of the page, and returns the dialog that opens. */
export async function openDialog(page: Page, button: string): Promise<Locator> {
  await page.getByRole('button', { name: button, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
}

/** Presses a button of a dialog, and waits until the dialog has closed. */
export async function confirm(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Starts a stack and a browser for the tests of a file. Without a browser, `describeConsole` skips its tests. */
export function ownConsole() {
  const stack = ownStack();
  let started: Browser | undefined;
  const browser = (): Browser => {
    if (started === undefined) throw new Error('the browser has not been started');
    return started;
  };
  beforeAll(async () => {
    if (NO_BROWSER === undefined) started = await startBrowser();
  });
  afterAll(() => started?.close());
  return {
    stack,
    describeConsole: describe.skipIf(NO_BROWSER !== undefined),
    open: (path?: string, options?: BrowserContextOptions) => openConsole(browser(), stack, path, options),
    openAs: (person: Subject, path?: string, options?: BrowserContextOptions) =>
      openAs(browser(), stack, person, path, options),
    /** Opens an address as the owner of a new tenant. */
    async openAsOwner(path?: string) {
      const tenant = await makeTenant(stack);
      return { tenant, ...(await openAs(browser(), stack, tenant, path)) };
    },
  };
}
