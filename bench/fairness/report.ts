import { markdownTable } from '../table.ts';
import type { Attack } from './attack.ts';
import { type Outcome, showOutcomes, type Tally } from './tally.ts';

/** The phases of a measurement. The other tenant sends requests before, during and after the attack. */
const PHASES = ['before', 'during', 'after'] as const;

/** The answers to the other tenant by phase, to the attacker, and to the workload whose API key is attacked. */
export interface AttackResult {
  readonly attack: Pick<Attack, 'name' | 'sends'>;
  readonly other: Readonly<Record<(typeof PHASES)[number], Tally>>;
  readonly attacker: readonly Outcome[];
  readonly victim: readonly Outcome[];
}

/** Returns the table for bench/RESULTS.md. */
export function report(results: readonly AttackResult[]): string {
  return markdownTable(
    ['attack', 'what is sent', 'p95 before', 'p95 during', 'p95 after', 'failed requests'],
    results.map((result) => {
      const p95 = PHASES.map((phase) => ms(result.other[phase].quantileMs(0.95)));
      return [result.attack.name, result.attack.sends, ...p95, showOutcomes(failuresOf(result))];
    }),
  );
}

/** Returns the failed requests of the other tenant during and after the attack, and those of the attacked workload. */
function failuresOf({ other: { during, after }, victim }: AttackResult): Outcome[] {
  return [...during.answers, ...after.answers, ...victim].filter(({ outcome }) => !/^2\d\d$/.test(outcome));
}

/** The limit for the other tenant's p95 during the attack, as a multiple of its p95 before the attack. */
const MAX_TIMES_SLOWER = 10;

/**
 * Returns a line for each way in which the attack did harm: a failed request of the other tenant during or after the
 * attack, a failed request of the attacked workload, or a p95 of the other tenant above its limit.
 */
export function harmOf(result: AttackResult): string[] {
  const { attack, other } = result;
  const { before, during } = other;
  const times = during.quantileMs(0.95) / before.quantileMs(0.95);
  return [
    ...failuresOf(result).map(({ outcome, count }) => `${attack.name}: ${count} × ${outcome}`),
    ...(times > MAX_TIMES_SLOWER ? [`${attack.name}: p95 ${times.toFixed(1)} times as long as before`] : []),
  ];
}

function ms(time: number): string {
  return Number.isNaN(time) ? '' : `${time.toFixed(0)} ms`;
}
