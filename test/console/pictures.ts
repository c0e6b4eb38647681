/*
 * npm run console:pictures: takes the screenshots for docs/console.md: pages of a demo tenant, on a separate
 * stack. Ids and times in the screenshots differ from run to run.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { DEMO_SUBJECT } from '../../emulators/stack/seed.ts';
import { startSeparateStack } from '../../emulators/stack/separate.ts';
import { ROOT } from '../sources.ts';
import { openAs } from '../support/console-page.ts';
import { startBrowser } from '../support/programs.ts';
import { signIn } from '../support/tenant.ts';

const FOLDER = join(ROOT, 'docs', 'console');
const SIZE = { width: 1152, height: 732 };

mkdirSync(FOLDER, { recursive: true });
await using cleanup = new AsyncDisposableStack();
const stack = await startSeparateStack('--demo');
cleanup.defer(() => stack.stop());
const browser = await startBrowser();
cleanup.defer(() => browser.close());

const session = await signIn(stack, DEMO_SUBJECT);
const keys = z
  .array(z.looseObject({ id: z.string(), name: z.string() }))
  .parse((await session.send('GET', '/v1/keys')).body);
const PICTURES = {
  overview: '/',
  keys: '/keys',
  key: `/keys/${keys.find(({ name }) => name === 'payroll')?.id}`,
  'api-keys': '/api-keys',
  'create-api-key': '/api-keys?do=create',
  members: '/members',
  audit: '/audit',
  billing: '/billing',
};

const options = { colorScheme: 'light', viewport: SIZE } as const;
const { page } = await openAs(browser, stack, { subject: DEMO_SUBJECT, name: 'Demo' }, '/', options);
for (const [name, path] of Object.entries(PICTURES)) {
  await page.goto(new URL(path, page.url()).href);
  await page.locator('main#page h1').waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
