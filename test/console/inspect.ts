import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const HEIGHT = 900;
const USUAL_WIDTH = 1280;
/** Screen widths in px: the narrowest and the widest that pages must fit, and both sides of each layout breakpoint. */
const WIDTHS = [360, 639, 640, 767, 768, 959, 960, 1151, 1152, 1600];

/** Loads a page, and waits until no request is pending. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.locator('main#page h1').waitFor();
  await page.waitForLoadState('networkidle');
}

/** Fails if the page breaks an axe accessibility rule in either theme, or does not fit a screen width. */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  expect.soft(await violations(new AxeBuilder({ page }).withTags(rules)), name).toEqual([]);
  // Checks only contrast in the dark theme, because the themes differ only in colors.
  await page.emulateMedia({ colorScheme: 'dark' });
  expect.soft(await violations(new AxeBuilder({ page }).withRules(['color-contrast'])), `${name}, dark`).toEqual([]);
  await expectToFit(page);
}

/** Fails if the page or a dialog scrolls sideways at any width. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const sideways = await page.evaluate<string[]>(
      "[...document.querySelectorAll('html, dialog')].filter((one) => one.scrollWidth > one.clientWidth).map(({ tagName }) => tagName)",
    );
    expect.soft(sideways, `${page.url()} at ${width} px`).toEqual([]);
    if (width === WIDTHS[0]) expect.soft(await smallTargets(page), `targets of ${page.url()}`).toEqual([]);
  }
  await page.setViewportSize({ width: USUAL_WIDTH, height: HEIGHT });
}

/** Returns the controls that are smaller than 24 by 24 px (WCAG 2.2, 2.5.8). Links in a sentence may be smaller. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`
    [...document.querySelectorAll('a, button, select, summary, textarea, input:not([type="checkbox"]), label:has(input)')]
      .filter((one) => one.checkVisibility() && !one.matches('p:not(.row) a'))
      .filter((one) => [...one.getClientRects()].every(({ width, height }) => width < 24 || height < 24))
      .map(({ outerHTML }) => outerHTML.slice(0, 120))
  `);
}

/** Returns the accessibility rules that the page breaks, each with the element that breaks it. */
async function violations(axe: AxeBuilder): Promise<string[]> {
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${target} ${html.slice(0, 120)}`),
  );
}
