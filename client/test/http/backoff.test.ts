import { afterEach, expect, test, vi } from 'vitest';
import { backoff } from '../../src/http/backoff.ts';

afterEach(() => vi.restoreAllMocks());

const RETRIES = [0, 1, 2, 3, 4, 5, 20];

test('the pause before a retry is random, between zero and a limit that doubles up to five seconds', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  expect(RETRIES.map(backoff)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  expect(RETRIES.map(backoff)).toEqual([100, 200, 400, 800, 1600, 2500, 2500]);
});
