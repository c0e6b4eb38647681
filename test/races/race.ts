import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Addresses, outcome } from '../support/client.ts';
import { Client } from '../support/tenant.ts';
import type { Field } from './field.ts';

/** One of those that race, sent to a process of the service; what became of it, in words. */
export type Contender = (at: Addresses) => Promise<string>;

/** One round: who races, and what must hold afterwards. */
export interface Round {
  readonly contenders: readonly Contender[];
  /** Reads back, and throws where what must hold does not. */
  readonly check: (outcomes: readonly string[]) => Promise<void>;
}

/** Something that must be decided once, in any order of the requests. */
export interface Race {
  readonly name: string;
  /** What may become of the contenders together: their outcomes in their order, with ` | ` between. */
  readonly allowed: readonly string[];
  /** Whether its rounds share what only one of them can have at a time: clocks, or a tenant's place. */
  readonly alone?: true;
  /** Makes what all rounds share, and returns what sets up one. */
  readonly open: (field: Field) => Promise<() => Promise<Round>>;
}

/** All of a round's contenders are sent within what the longest took in the rounds before, so that either may be the first. */
const SPREAD_MS = { least: 40, most: 250 };
/** The irrational steps that spread the contenders' moments evenly, without two rounds alike. In round 0 all go at once. */
const STEPS = [0.6180339887, 0.4142135623, 0.7320508075, 0.2360679775];
/** How late whatever the second process sends arrives at the store, the KMS and the payment provider. */
const DELAYS_MS = [0, 10, 60];
/** How many rounds run at once, of a race that has more than a few. */
const SIDE_BY_SIDE = 8;

/**
 * Runs a race that often, and returns how often each combination of outcomes occurred. The rounds go through every way
 * to send two contenders to two processes, at every delay of the second one, at moments of which either may be the
 * first. Throws at the first round that breaks a rule.
 */
export async function run(race: Race, field: Field, rounds: number): Promise<Map<string, number>> {
  const prepare = await race.open(field);
  const sideBySide = race.alone ? 1 : Math.min(SIDE_BY_SIDE, Math.ceil(rounds / DELAYS_MS.length));
  const tally = new Map<string, number>();
  let spreadMs = SPREAD_MS.least;
  for (let first = 0; first < rounds; first += sideBySide) {
    const some = await Promise.all(Array.from({ length: Math.min(sideBySide, rounds - first) }, prepare));
    const delayMs = DELAYS_MS[(first / sideBySide) % DELAYS_MS.length] ?? 0;
    const came = await field.slowly(delayMs, () =>
      Promise.all(some.map(({ contenders }, index) => contend(field, contenders, first + index, spreadMs))),
    );
    const longestMs = Math.max(...came.map((one) => one.longestMs));
    spreadMs = Math.min(Math.max(longestMs, SPREAD_MS.least), SPREAD_MS.most);
    for (const { outcomes } of came) {
      const together = outcomes.join(' | ');
      expect(race.allowed).toContain(together);
      tally.set(together, (tally.get(together) ?? 0) + 1);
    }
    await Promise.all(some.map(({ check }, index) => check(came[index]?.outcomes ?? [])));
  }
  return tally;
}

async function contend(
  { here, there }: Field,
  contenders: readonly Contender[],
  round: number,
  spreadMs: number,
): Promise<{ outcomes: string[]; longestMs: number }> {
  let longestMs = 0;
  const outcomes = await Promise.all(
    contenders.map(async (contender, place) => {
      await pause(spreadMs * ((round * (STEPS[place] ?? 0)) % 1));
      const sent = performance.now();
      const outcome = await contender((round >> (place % 2)) % 2 === 0 ? here : there);
      longestMs = Math.max(longestMs, performance.now() - sent);
      return outcome;
    }),
  );
  return { outcomes, longestMs };
}

/** A contender that sends a request with that credential. */
export function sending({ token }: Client, method: string, path: string, body?: unknown): Contender {
  return async (at) => outcome(await new Client(at, token).send(method, path, body));
}

/** Every combination of one of each list. */
export function each(first: readonly string[], ...rest: readonly (readonly string[])[]): string[] {
  return rest.reduce<string[]>(
    (before, next) => before.flatMap((one) => next.map((other) => `${one} | ${other}`)),
    [...first],
  );
}
