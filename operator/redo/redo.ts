import { viewInstant } from '../../shared/base/clock.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import { hasCryptoKey } from '../../shared/keys/versions.ts';
import type { Store } from '../../shared/store/store.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import { KINDS, type Kind, type LineOf, type RedoChange, type RedoServices } from './change.ts';
import { latestChanges } from './latest-changes.ts';

const OUTCOMES = ['applied', 'already so', 'not in the store', 'failed'] as const;
type RedoOutcome = (typeof OUTCOMES)[number];

/** For each kind, the number of changes with each outcome, in the order of `KINDS`. */
type Report = ReadonlyMap<Kind, Readonly<Record<RedoOutcome, number>>>;

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

/**
 * Returns a sentence for each lost key or version: keys that were created after the backup, and data keys from
 * rotations after the backup. Nobody can decrypt their ciphertext any more. Versions in the KMS are not lost.
 */
export async function describeLost(store: Store, lines: readonly RedoLine[]): Promise<string[]> {
  const ended = new Set(lines.filter(({ message }) => message === 'key destroyed').map((line) => line.target_id));
  const kept = lines.filter((line) => !ended.has(line.target_id)).toSorted((a, b) => a.commit_time - b.commit_time);
  const sentences = new Set<string>();
  for (const line of kept) {
    if (line.message !== 'key created' && line.message !== 'key rotated') continue;
    const stored = await store.find(KEYS, line.target_id);
    const key = stored !== undefined && isLive(stored) ? stored : undefined;
    const what = line.message === 'key created' ? describeKey(line, key) : describeVersion(line, key, kept);
    if (what !== undefined) sentences.add(`tenant ${line.tenant_id}, key ${line.target_id}: ${what}`);
  }
  return [...sentences];
}

function describeKey({ commit_time }: LineOf<'key created'>, key: Key | undefined): string | undefined {
  return key === undefined ? `every version, since ${viewInstant(commit_time)}` : undefined;
}

function describeVersion(
  { target_id, primary_version, commit_time }: LineOf<'key rotated'>,
  key: Key | undefined,
  lines: readonly RedoLine[],
): string | undefined {
  if (key === undefined || hasCryptoKey(key) || key.versions.some(({ version }) => version === primary_version)) return;
  const last = lines.findLast((line) => line.message === 'key rotated' && line.target_id === target_id);
  // The version is not lost if another rotation retired it before the restore.
  if (last?.message !== 'key rotated' || !last.enabled_versions.includes(primary_version)) return;
  return `version ${primary_version}, since ${viewInstant(commit_time)}`;
}

export function viewReport(report: Report): string {
  const rows = [...report].map(([kind, counts]) => [kind, ...OUTCOMES.map((outcome) => String(counts[outcome]))]);
  const table = [['change', ...OUTCOMES], ...rows];
  const widths = ['change', ...OUTCOMES].map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const pad = (cell: string, at: number) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0));
  return table.map((row) => `${row.map(pad).join('  ')}\n`).join('');
}
