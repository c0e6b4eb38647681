import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Addresses, outcome } from '../support/client.ts';
import { Client } from '../support/tenant.ts';
import type { Field } from './field.ts';

/** Sends one of a race’s requests to a process of the service. Returns the outcome, such as `409 key_exists`. */
export type Contender = (at: Addresses) => Promise<string>;

/** One round: its contenders, and a check afterwards. */
export interface Round {
  readonly contenders: readonly Contender[];
  /** Reads the state back, and throws if it breaks a rule. */
  readonly check: (outcomes: readonly string[]) => Promise<void>;
}

/** Simultaneous requests whose result must be consistent, whatever their order. */
export interface Race {
  readonly name: string;
  /** The allowed combinations of outcomes, each in the order of the contenders and joined with ` | `. */
  readonly allowed: readonly string[];
  /** Whether rounds run one at a time, because they share a clock or a limit of a tenant. */
  readonly alone?: true;
  /** Prepares what all rounds share, and returns the preparation of one round. */
  readonly open: (field: Field) => Promise<() => Promise<Round>>;
}

/** A round’s requests start within a span as long as the slowest request of the rounds just before, in these bounds. */
const SPREAD_MS = { least: 40, most: 250 };
/** Multiples of irrational numbers spread start times evenly without repetition. In round 0, all requests start at once. */
const STEPS = [0.6180339887, 0.4142135623, 0.7320508075, 0.2360679775];
/** The delays of requests from the second process to the store, the KMS and the payment provider. */
const DELAYS_MS = [0, 10, 60];
/** The number of rounds that run at the same time in a race with many rounds. */
const SIDE_BY_SIDE = 8;

/**
 * Runs the rounds of a race, and counts how often each combination of outcomes occurred. The rounds cover every
 * assignment of two contenders to two processes, every delay of the second process, and start times at which either
 * contender may be first. Throws at the first round that breaks a rule.
 */
export async function run(race: Race, field: Field, rounds: number): Promise<Map<string, number>> {
  const prepare = await race.open(field);
  const sideBySide = race.alone ? 1 : Math.min(SIDE_BY_SIDE, Math.ceil(rounds / DELAYS_MS.length));
  const tally = new Map<string, number>();
  let spreadMs = SPREAD_MS.least;
  for (let first = 0; first < rounds; first += sideBySide) {
    const some = await Promise.all(Array.from({ length: Math.min(sideBySide, rounds - first) }, prepare));
    const delayMs = DELAYS_MS[(first / sideBySide) % DELAYS_MS.length] ?? 0;
    const results = await field.withDelay(delayMs, () =>
      Promise.all(some.map(({ contenders }, index) => contend(field, contenders, first + index, spreadMs))),
    );
    const longestMs = Math.max(...results.map((one) => one.longestMs));
    spreadMs = Math.min(Math.max(longestMs, SPREAD_MS.least), SPREAD_MS.most);
    for (const { outcomes } of results) {
      const together = outcomes.join(' | ');
      expect(race.allowed).toContain(together);
      tally.set(together, (tally.get(together) ?? 0) + 1);
    }
    await Promise.all(some.map(({ check }, index) => check(results[index]?.outcomes ?? [])));
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

/** Returns a contender that sends a request with the client’s credential. */
export function sending({ token }: Client, method: string, path: string, body?: unknown): Contender {
  return async (at) => outcome(await new Client(at, token).send(method, path, body));
}

/** Returns every combination of one outcome from each list, joined with ` | `. */
export function each(first: readonly string[], ...rest: readonly (readonly string[])[]): string[] {
  return rest.reduce<string[]>(
    (before, next) => before.flatMap((one) => next.map((other) => `${one} | ${other}`)),
    [...first],
  );
}
