import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ownStack } from '../support/own-stack.ts';
import { boundRaces } from './bounds.ts';
import { containerRaces } from './containers.ts';
import { deletionRaces } from './deletions.ts';
import { type Field, openField } from './field.ts';
import { firewallRaces } from './firewalls.ts';
import { freeKeyRaces } from './free-key.ts';
import { monthCloseRaces } from './month-close.ts';
import { nameRaces } from './names.ts';
import { run } from './race.ts';
import { revocationRaces } from './revocation.ts';
import { rotationRaces } from './rotation.ts';
import { signInRaces } from './sign-in.ts';

/** Six go through every pair of processes and every delay; `npm run test:races` asks for hundreds and for the figures. */
const ROUNDS = Number(process.env.RACE_ROUNDS || 6);

const stack = ownStack();
let field: Field;

beforeAll(async () => {
  field = await openField(stack);
});
afterEach(() => field.there.setClock(null));
afterAll(() => field.stop());

/** What the contenders of a race's rounds were answered together, and how often: the commonest first. */
function figures(name: string, tally: ReadonlyMap<string, number>): string {
  const lines = [...tally]
    .sort(([, a], [, b]) => b - a)
    .map(([together, times]) => `${String(times).padStart(7)}  ${together}`);
  return `\n${name}: ${ROUNDS} rounds\n${lines.join('\n')}\n`;
}

// The months come first: their runs take every tenant there is.
test.for([
  ...monthCloseRaces,
  ...signInRaces,
  ...nameRaces,
  ...freeKeyRaces,
  ...boundRaces,
  ...deletionRaces,
  ...rotationRaces,
  ...revocationRaces,
  ...containerRaces,
  ...firewallRaces,
])('$name', { timeout: 60_000 + ROUNDS * 5_000 }, async (race) => {
  const tally = await run(race, field, ROUNDS);
  if (process.env.RACE_ROUNDS) process.stdout.write(figures(race.name, tally));
  expect([...tally.values()].reduce((sum, times) => sum + times, 0)).toBe(ROUNDS);
});
