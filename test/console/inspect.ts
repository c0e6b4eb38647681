import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const THEMES = ['light', 'dark'] as const;
const HEIGHT = 900;
const USUAL_WIDTH = 1280;
/** The least and the most of what a page must fit, and both sides of where the layout changes. */
const WIDTHS = [360, 639, 640, 767, 768, 959, 960, 1023, 1024, 1600];

/** Goes to an address as a reload does, and waits until nothing is asked for any more. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, page.url()).href);
  await page.locator('main#page h1').waitFor();
  await page.waitForLoadState('networkidle');
}

/** Finds fault with what is shown: a rule of axe that is broken in one of the themes, or a width that it does not fit. */
export async function inspect(page: Page, name: string): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    expect.soft(await breaches(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  await expectToFit(page);
}

/** Nothing has to be scrolled sideways, whatever the width, nor inside a dialog. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    const sideways = await page.evaluate<string[]>(
      "[...document.querySelectorAll('html, dialog')].filter((one) => one.scrollWidth > one.clientWidth).map(({ tagName }) => tagName)",
    );
    expect.soft(sideways, `${page.url()} at ${width} px`).toEqual([]);
  }
  await page.setViewportSize({ width: USUAL_WIDTH, height: HEIGHT });
}

/** The rules that the page breaks, with where. */
async function breaches(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${target} ${html.slice(0, 120)}`),
  );
}
