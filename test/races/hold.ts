import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ownStack } from '../support/own-stack.ts';
import { type Field, openField } from './field.ts';
import { type Race, run } from './race.ts';

/** Adds a test for each race, with this number of rounds. With `report`, prints how often each outcome occurred. */
export function testRaces(races: readonly Race[], rounds: number, report = false): void {
  const stack = ownStack();
  let field: Field;
  beforeAll(async () => {
    field = await openField(stack);
  });
  afterEach(() => field.there.setClock(null));
  afterAll(() => field.stop());

  test.for(races)('$name', { timeout: 60_000 + rounds * 5_000 }, async (race) => {
    const tally = await run(race, field, rounds);
    if (report) process.stdout.write(figures(race.name, rounds, tally));
    expect([...tally.values()].reduce((sum, times) => sum + times, 0)).toBe(rounds);
  });
}

/** Returns how often each combination of outcomes occurred in a race, starting with the most frequent. */
function figures(name: string, rounds: number, tally: ReadonlyMap<string, number>): string {
  const lines = [...tally]
    .sort(([, a], [, b]) => b - a)
    .map(([together, times]) => `${String(times).padStart(7)}  ${together}`);
  return `\n${name}: ${rounds} rounds\n${lines.join('\n')}\n`;
}
