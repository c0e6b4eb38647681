import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../shared/store/collection.ts';
import { checkOut, successor } from './checkouts.ts';

test('the patch that makes a next release applies to today’s sources, which then load, and raises the schema version by one', () => {
  using checkout = successor();
  const program =
    "const { everyRoute } = await import('./functions/routes.ts'); console.log(everyRoute({}).map(({ id }) => id).join())";
  const routes = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: checkout.folder,
    encoding: 'utf8',
  });
  expect(routes.trim().split(',')).toContain('describe_key');
  const collection = readFileSync(join(checkout.folder, 'shared/store/collection.ts'), 'utf8');
  expect(collection).toContain(`SCHEMA_VERSION = ${SCHEMA_VERSION + 1};`);
});

test('disposing of a checkout removes its folder, and a checkout of a ref that does not exist throws an error', () => {
  const { folder, [Symbol.dispose]: remove } = successor();
  remove();
  expect(existsSync(folder)).toBe(false);
  expect(() => checkOut('no-such-release')).toThrow('no-such-release');
});
