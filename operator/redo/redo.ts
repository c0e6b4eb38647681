import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import { KINDS, type Kind, type RedoChange, type RedoServices } from './change.ts';
import { latestChanges } from './latest-changes.ts';

export const OUTCOMES = ['applied', 'already so', 'not in the store', 'failed'] as const;
type RedoOutcome = (typeof OUTCOMES)[number];

/** For each kind, the number of changes with each outcome, in the order of `KINDS`. */
export type Report = ReadonlyMap<Kind, Readonly<Record<RedoOutcome, number>>>;

/**
 * Makes the changes that the store lacks, in commit order. For each object, only the latest change counts. Lines may be
 * in any order and repeated. If a change fails, reports it and continues. With `dryRun`, only counts the changes.
 */
export async function redo(services: RedoServices, lines: readonly RedoLine[], dryRun: boolean): Promise<Report> {
  const report = new Map(
    KINDS.map((kind) => [kind, { applied: 0, 'already so': 0, 'not in the store': 0, failed: 0 }]),
  );
  for (const change of latestChanges(lines)) {
    const counts = report.get(change.kind);
    const outcome = await attempt(services, change, dryRun);
    if (counts !== undefined) counts[outcome]++;
  }
  return report;
}

async function attempt(
  services: RedoServices,
  { kind, about, plan }: RedoChange,
  dryRun: boolean,
): Promise<RedoOutcome> {
  try {
    const planned = await plan(services);
    if (typeof planned === 'string') return planned;
    if (!dryRun) await planned();
    return 'applied';
  } catch (error) {
    services.tell(`${kind}, ${about}: ${error instanceof Error ? error.message : String(error)}`);
    return 'failed';
  }
}
