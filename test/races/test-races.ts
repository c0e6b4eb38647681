import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ownStack } from '../support/own-stack.ts';
import { type ProcessPair, startProcessPair } from './process-pair.ts';
import { type Race, runGated, runSpread } from './race.ts';

/**
 * Adds a test for each race, with each order of the commits. With `rounds`, the start times of the requests differ
 * instead, and the test prints how often each combination of outcomes occurred.
 */
export function testRaces(races: readonly Race[], rounds = 0): void {
  const stack = ownStack();
  let pair: ProcessPair;
  beforeAll(async () => {
    pair = await startProcessPair(stack);
  });
  afterEach(() => pair.secondProcess.setClock(null));
  afterAll(() => pair.stop());

  // Not `test.for`, which shortens the names, so that `-t` would not find their last words.
  for (const race of races) {
    test(race.name, { timeout: 60_000 + rounds * 5_000 }, async () => {
      if (rounds === 0) return runGated(race, pair);
      const counts = await runSpread(race, pair, rounds);
      process.stdout.write(formatCounts(race.name, rounds, counts));
      expect([...counts.values()].reduce((sum, times) => sum + times, 0)).toBe(rounds);
    });
  }
}

/** Returns how often each combination of outcomes occurred in a race, starting with the most frequent. */
function formatCounts(name: string, rounds: number, counts: ReadonlyMap<string, number>): string {
  const lines = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([combination, times]) => `${String(times).padStart(7)}  ${combination}`);
  return `\n${name}: ${rounds} rounds\n${lines.join('\n')}\n`;
}
