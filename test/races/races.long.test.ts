import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ownStack } from '../support/own-stack.ts';
import { accessRaces } from './access.ts';
import { deletionRaces } from './deletions.ts';
import { freezingRaces } from './freezing.ts';
import { memberRaces } from './members.ts';
import { objectRaces } from './objects.ts';
import { type ProcessPair, startProcessPair } from './process-pair.ts';
import { runGated, runSpread } from './race.ts';
import { rotationRaces } from './rotation.ts';
import { scheduleRaces } from './schedules.ts';

/**
 * `npm run drill -- races` sets 300 rounds. Then the start times of the requests differ, instead of the order of the
 * commits, and each test prints how often each combination of outcomes occurred.
 */
const rounds = Number(process.env.RACE_ROUNDS || 0);

/**
 * Races of close-month and seal-audit come first, because these functions process every tenant that other races make.
 */
const RACES = [
  scheduleRaces,
  accessRaces,
  memberRaces,
  objectRaces,
  deletionRaces,
  rotationRaces,
  freezingRaces,
].flat();

const stack = ownStack();
let pair: ProcessPair;
beforeAll(async () => {
  pair = await startProcessPair(stack);
});
afterEach(() => pair.secondProcess.setClock(null));
afterAll(() => pair.stop());

// Not `test.for`, which shortens the names, so that `-t` would not find their last words.
for (const race of RACES) {
  test(race.name, { timeout: 900_000 + rounds * 5_000 }, async () => {
    if (rounds === 0) return runGated(race, pair);
    const counts = await runSpread(race, pair, rounds);
    process.stdout.write(formatCounts(race.name, counts));
    expect([...counts.values()].reduce((sum, times) => sum + times, 0)).toBe(rounds);
  });
}

/** Returns how often each combination of outcomes occurred in a race, starting with the most frequent. */
function formatCounts(name: string, counts: ReadonlyMap<string, number>): string {
  const lines = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([combination, times]) => `${String(times).padStart(7)}  ${combination}`);
  return `\n${name}: ${rounds} rounds\n${lines.join('\n')}\n`;
}
