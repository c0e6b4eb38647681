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

/** The tables of bench/RESULTS.md. */
export function report(results: readonly AttackResult[]): string {
  const others = results.flatMap(({ attack, other }) =>
    PHASES.map((phase) => {
      const tally = other[phase];
      return [attack.name, phase, showOutcomes(tally.answers), ms(tally.quantileMs(0.5)), ms(tally.quantileMs(0.95))];
    }),
  );
  const attacks = results.map(({ attack, attacker }) => [attack.name, attack.sends, showOutcomes(attacker)]);
  return (
    `${markdownTable(['attack', 'phase', 'answers to the other tenant', 'p50', 'p95'], others)}\n` +
    markdownTable(['attack', 'what is sent', 'answers to the attacker'], attacks)
  );
}

function ms(time: number): string {
  return Number.isNaN(time) ? '' : `${time.toFixed(0)} ms`;
}
