import { viewInstant } from '../../shared/base/clock.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import { hasCryptoKey } from '../../shared/keys/versions.ts';
import type { Store } from '../../shared/store/store.ts';
import type { RedoLine } from '../../shared/tenancy/redo-log.ts';
import type { LineOf } from './change.ts';

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
