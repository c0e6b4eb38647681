import { markdownTable } from '../table.ts';
import type { Attack } from './attack.ts';
import { type Outcome, showOutcomes, type Tally } from './tally.ts';

/** When the other tenant's requests were sent. */
export const PHASES = ['before', 'during', 'after'] as const;

/** The answers to the other tenant by phase, and those to the attacker. */
export interface AttackResult {
  readonly attack: Pick<Attack, 'name' | 'sends'>;
  readonly other: Readonly<Record<(typeof PHASES)[number], Tally>>;
  readonly attacker: readonly Outcome[];
}

/** The table of bench/RESULTS.md. */
export function report(results: readonly AttackResult[]): string {
  return markdownTable(
    ['attack', 'what is sent', 'p95 before', 'during', 'after', 'failed'],
    results.map((result) => {
      const p95 = PHASES.map((phase) => ms(result.other[phase].quantileMs(0.95)));
      return [result.attack.name, result.attack.sends, ...p95, showOutcomes(failuresOf(result))];
    }),
  );
}

/** The answers to the other tenant that are no success, during the attack and after it. */
function failuresOf({ other: { during, after } }: AttackResult): Outcome[] {
  return [...during.answers, ...after.answers].filter(({ outcome }) => !/^2\d\d$/.test(outcome));
}

/** How many times as slow as before the attack the slowest 5 % of another tenant's requests may be beside it. */
const MOST_TIMES_SLOWER = 10;

/** What another tenant suffered, a line each: no request may fail, during the attack or after it, and none may wait noticeably longer. */
export function harmOf(result: AttackResult): string[] {
  const { attack, other } = result;
  const { before, during } = other;
  const times = during.quantileMs(0.95) / before.quantileMs(0.95);
  return [
    ...failuresOf(result).map(({ outcome, count }) => `${attack.name}: ${count} × ${outcome}`),
    ...(times > MOST_TIMES_SLOWER ? [`${attack.name}: p95 ${times.toFixed(1)} times as long as before`] : []),
  ];
}

function ms(time: number): string {
  return Number.isNaN(time) ? '' : `${time.toFixed(0)} ms`;
}
