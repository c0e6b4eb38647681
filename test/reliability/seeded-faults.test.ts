import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { readSeededFaults } from './seeded-faults.ts';

test.each(readSeededFaults())('the drill can break the rule “$rule”', ({ file, text, faulty, test }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(text)).toHaveLength(2);
  expect(faulty).not.toBe(text);
  expect(existsSync(join(ROOT, test))).toBe(true);
});
