import type { Attack } from './attack.ts';
import { type Outcome, showOutcomes, type Tally } from './tally.ts';

/** When the other tenant was looked at. */
export const PHASES = ['before', 'during', 'after'] as const;

/** What the other tenant saw of an attack, and what the attacker was answered. */
export interface Seen {
  readonly attack: Pick<Attack, 'name' | 'sends'>;
  readonly other: Readonly<Record<(typeof PHASES)[number], Tally>>;
  readonly attacker: readonly Outcome[];
}

/** The tables of docs/reliability.md. */
export function report(seen: readonly Seen[]): string {
  const others = seen.flatMap(({ attack, other }) =>
    PHASES.map((phase) => {
      const tally = other[phase];
      return [attack.name, phase, showOutcomes(tally.answers), ms(tally.within(0.5)), ms(tally.within(0.95))];
    }),
  );
  const attacks = seen.map(({ attack, attacker }) => [attack.name, attack.sends, showOutcomes(attacker)]);
  return (
    `${table(['attack', 'phase', 'answers to the other tenant', 'p50', 'p95'], others)}\n` +
    table(['attack', 'what is sent', 'answers to the attacker'], attacks)
  );
}

function ms(time: number): string {
  return Number.isNaN(time) ? '' : `${time.toFixed(0)} ms`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}
