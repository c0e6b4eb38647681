import { expect, test } from 'vitest';
import { exceededLimits } from '../../bench/cold/table.ts';

const row = (name: string, source: number, cached: number, request = '401') => {
  return { name, request, source: [source], bundled: [source], cached: [cached] };
};
const BARE = row('bare', 300, 100);

test('the cold-start report flags a function whose start with a code cache takes over 0.6 times as long as from source, and router or crypto if their start takes over 1.5 times as long as a bare function’s', () => {
  const within = [row('keys', 1_000, 600), row('crypto', 1_000, 150), row('router', 1_000, 150)];
  expect(exceededLimits([BARE, ...within])).toEqual([]);
  expect(exceededLimits([BARE, row('keys', 1_000, 610)])).toEqual(['keys takes 0.61 times as long as from source']);
  expect(exceededLimits([BARE, row('crypto', 1_000, 151)])).toEqual([
    'crypto takes 1.51 times as long as the bare function',
  ]);
});

test('the cold-start report sets no limit on the duration of a process’s first encrypt request', () => {
  expect(exceededLimits([BARE, row('crypto', 1_000, 900, 'encrypt')])).toEqual([]);
});
