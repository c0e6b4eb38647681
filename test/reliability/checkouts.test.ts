import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../shared/store/collection.ts';
import { checkOut, successor } from './checkouts.ts';

test('the successor can be made from today’s sources', () => {
  using checkout = successor();
  expect(existsSync(join(checkout.folder, 'functions/keys/describe-key.ts'))).toBe(true);
  const collection = readFileSync(join(checkout.folder, 'shared/store/collection.ts'), 'utf8');
  expect(collection).toContain(`SCHEMA_VERSION = ${SCHEMA_VERSION + 1};`);
});

test('a checkout is removed when it is disposed of, and a ref that does not exist leaves nothing', () => {
  const { folder, [Symbol.dispose]: remove } = successor();
  remove();
  expect(existsSync(folder)).toBe(false);
  expect(() => checkOut('no-such-release')).toThrow('no-such-release');
});
