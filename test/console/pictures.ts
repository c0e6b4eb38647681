/*
 * npm run console:pictures: takes the pictures of docs/console.md, each page in both themes, on a stack of its own. What is
 * in them is made for the occasion; ids and times differ from run to run.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { ROOT } from '../sources.ts';
import { startBrowser } from '../support/browser.ts';
import { control } from '../support/client.ts';
import { openAs } from '../support/console-page.ts';
import { furnish } from './places.ts';

const FOLDER = join(ROOT, 'docs', 'console');
const PICTURES = ['overview', 'keys', 'key', 'api-keys', 'create-api-key', 'members', 'audit', 'billing'] as const;
const SIZE = { width: 1040, height: 660 };

mkdirSync(FOLDER, { recursive: true });
await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack();
cleanup.defer(() => stack.stop());
const browser = await startBrowser();
cleanup.defer(() => browser.close());

const { tenant, places } = await furnish(stack);
const keys = await tenant.console.send('GET', '/v1/keys');
const month = new Date().toISOString().slice(0, 7);
for (const [at, key] of (Array.isArray(keys.body) ? keys.body : []).entries()) {
  await control(stack, 'POST', '/usage', {
    key_id: Object(key).id,
    period: month,
    ops: [61_400, 12_900, 0, 9_100][at] ?? 0,
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  const { page } = await openAs(browser, stack, tenant, '/', { colorScheme, viewport: SIZE });
  for (const name of PICTURES) {
    await page.goto(new URL(places[name] ?? '', page.url()).href);
    await page.locator('main#page h1').waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
  }
}
