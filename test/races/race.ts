import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Addresses, outcome } from '../support/client.ts';
import { Client, makeTenant, type Tenant } from '../support/tenant.ts';
import type { ProcessPair } from './process-pair.ts';

/** Sends one of a race’s requests to a process of the service. Returns the outcome, such as `409 key_exists`. */
export type RaceRequest = (at: Addresses) => Promise<string>;

/** One round of a race: requests that are sent at the same time, and a check of the result. */
export interface Round {
  readonly requests: readonly RaceRequest[];
  /** Reads the stored state after the requests, and throws if it breaks a rule of the race. */
  readonly check: (outcomes: readonly string[]) => Promise<void>;
}

/** Simultaneous requests whose result must be consistent, whatever their order. */
export interface Race {
  readonly name: string;
  /** The allowed combinations of outcomes, each in the order of the requests and joined with ` | `. */
  readonly allowed: readonly string[];
  /** Whether rounds run one at a time, because they share a clock or a limit of a tenant. */
  readonly sequential?: true;
  /** Prepares one round. The rounds share a tenant, which they need not use. */
  readonly round?: (pair: ProcessPair, tenant: Tenant) => Promise<Round>;
  /** Instead of `round`: prepares what all rounds share, and returns a function that prepares one round. */
  readonly setUp?: (pair: ProcessPair) => Promise<() => Promise<Round>>;
}

async function setUpRounds({ round, setUp }: Race, pair: ProcessPair): Promise<() => Promise<Round>> {
  if (round === undefined) return setUp?.(pair) ?? expect.unreachable('a race needs rounds');
  const tenant = await makeTenant(pair.secondProcess);
  return () => round(pair, tenant);
}

/**
 * The limits of the time span in which a round’s requests start. Within them, the span is as long as the slowest
 * request of the rounds just before.
 */
const SPREAD_MS = { least: 40, most: 250 };
/**
 * Multiples of irrational numbers spread start times evenly without repetition. In round 0, all requests start at once.
 */
const STEPS = [0.6180339887, 0.4142135623, 0.7320508075, 0.2360679775];
/** The delays of requests from the second process to the store, the KMS and the payment provider. */
const DELAYS_MS = [0, 10, 60];
/** The time by which one commit reaches the store before the other. The former may then wait for a lock of the latter. */
const HEAD_START_MS = 20;
/** The number of rounds that run at the same time in a race with many rounds. */
const PARALLEL_ROUNDS = 8;

/**
 * Runs rounds with start times at which either request may be first, and counts how often each combination of outcomes
 * occurred. They cover every assignment of two requests to two processes, and every delay of the second process. Throws
 * at the first round that breaks a rule.
 */
export async function runSpread(race: Race, pair: ProcessPair, rounds: number): Promise<Map<string, number>> {
  const prepare = await setUpRounds(race, pair);
  const parallel = race.sequential ? 1 : Math.min(PARALLEL_ROUNDS, Math.ceil(rounds / DELAYS_MS.length));
  const counts = new Map<string, number>();
  let spreadMs = SPREAD_MS.least;
  for (let first = 0; first < rounds; first += parallel) {
    const some = await Promise.all(Array.from({ length: Math.min(parallel, rounds - first) }, prepare));
    const delayMs = DELAYS_MS[(first / parallel) % DELAYS_MS.length] ?? 0;
    const results = await pair.withDelay(delayMs, () =>
      Promise.all(some.map(({ requests }, index) => sendAll(pair, requests, first + index, spreadMs))),
    );
    const longestMs = Math.max(...results.map((one) => one.longestMs));
    spreadMs = Math.min(Math.max(longestMs, SPREAD_MS.least), SPREAD_MS.most);
    for (const { outcomes } of results) {
      const combination = expectAllowed(race, outcomes);
      counts.set(combination, (counts.get(combination) ?? 0) + 1);
    }
    await Promise.all(some.map(({ check }, index) => check(results[index]?.outcomes ?? [])));
  }
  return counts;
}

/**
 * Runs two rounds, in which the first two requests reach their first commit before either of them commits. In one round,
 * the first request commits first, and in the other one the second. Throws at the first round that breaks a rule.
 */
export async function runGated(race: Race, pair: ProcessPair): Promise<void> {
  const prepare = await setUpRounds(race, pair);
  for (const isReversed of [false, true]) {
    const { requests, check } = await prepare();
    for (const { gate } of pair.gated) gate.close();
    const outcomes = requests.map((request, position) => request(pair.gated[position]?.at ?? pair.stackProcess));
    const held = pair.gated.map(({ gate }, position) => ({ gate, answered: outcomes[position] ?? Promise.resolve() }));
    for (const { gate, answered } of held) await gate.holds(answered);
    for (const { gate, answered } of isReversed ? held.toReversed() : held) {
      gate.open();
      await Promise.race([answered, pause(HEAD_START_MS)]);
    }
    const answered = await Promise.all(outcomes);
    expectAllowed(race, answered);
    await check(answered);
  }
}

function expectAllowed({ allowed }: Race, outcomes: readonly string[]): string {
  const combination = outcomes.join(' | ');
  expect(allowed).toContain(combination);
  return combination;
}

async function sendAll(
  { stackProcess, secondProcess }: ProcessPair,
  requests: readonly RaceRequest[],
  round: number,
  spreadMs: number,
): Promise<{ outcomes: string[]; longestMs: number }> {
  let longestMs = 0;
  const outcomes = await Promise.all(
    requests.map(async (request, position) => {
      await pause(spreadMs * ((round * (STEPS[position] ?? 0)) % 1));
      const sent = performance.now();
      const outcome = await request((round >> (position % 2)) % 2 === 0 ? stackProcess : secondProcess);
      longestMs = Math.max(longestMs, performance.now() - sent);
      return outcome;
    }),
  );
  return { outcomes, longestMs };
}

/** Returns a request with the client’s credential. */
export function sending({ token }: Client, method: string, path: string, body?: unknown): RaceRequest {
  return async (at) => outcome(await new Client(at, token).send(method, path, body));
}

/** Returns every combination of one outcome from each list, joined with ` | `. */
export function combinations(first: readonly string[], ...rest: readonly (readonly string[])[]): string[] {
  return rest.reduce<string[]>(
    (before, next) => before.flatMap((one) => next.map((other) => `${one} | ${other}`)),
    [...first],
  );
}
