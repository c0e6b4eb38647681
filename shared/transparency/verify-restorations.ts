import { covers, openRestoration, type Restoration, type TreeHead } from './restoration.ts';
import type { Finding } from './seal.ts';
import { CompactRange, encodeHash } from './tree.ts';
import type { VerifierKey } from './verifier-key.ts';

interface Shown extends Restoration {
  readonly isNew: boolean;
}

/**
 * Verifies the statements about restores. Each restore is a finding until the user acknowledges it. An unacknowledged
 * restore can explain why the log no longer extends the checkpoint that the verifier kept.
 */
export class RestorationVerifier {
  readonly #shown: readonly Shown[];
  readonly #refused: readonly Finding[];
  /** Restores that the user has acknowledged, but for which the service no longer returns the statement. */
  readonly #gone: readonly Restoration[];
  /** For each restore, the size of the log after the restore, and the recomputed root at this size. */
  readonly #roots = new Map<number, string | undefined>();

  /** `shown` are signed statements of the service, oldest first; `acknowledged` are those that the user accepted. */
  constructor(key: VerifierKey, shown: readonly string[], acknowledged: readonly string[] = []) {
    const opened = shown.map((message) => ({
      isNew: !acknowledged.includes(message),
      ...openRestoration(message, key),
    }));
    this.#shown = opened.flatMap((one) => ('refused' in one ? [] : [{ isNew: one.isNew, ...one.restoration }]));
    this.#refused = opened.flatMap((one, at) => ('refused' in one ? [refusal(at, one.refused)] : []));
    this.#gone = acknowledged
      .filter((message) => !shown.includes(message))
      .flatMap((message) => {
        const found = openRestoration(message, key);
        return 'refused' in found ? [] : [found.restoration];
      });
    for (const { from } of this.#shown) this.#roots.set(from.size, undefined);
    this.note(0, () => encodeHash(CompactRange.empty().root()));
  }

  /** Stores the root at this size. Call it after each entry. Calls `root` only if a restore left this many entries. */
  note(size: number, root: () => string): void {
    if (this.#roots.has(size)) this.#roots.set(size, root());
  }

  /** Whether an unacknowledged restore explains why this checkpoint is lost, and the log matches its statement. */
  explains(kept: TreeHead): boolean {
    return this.#shown.some(
      (one) => one.isNew && one.from.size < kept.size && covers(one.lost, kept) && this.#fits(one),
    );
  }

  /** Returns the findings. Must be called after the last entry. `size` is the log's number of entries. */
  finish(size: number): Finding[] {
    return [
      ...this.#refused,
      ...this.#shown.flatMap((one, at) => this.#check(one, at, size)),
      ...this.#gone.flatMap((one) => (this.#isReplaced(one) ? [] : [gone(one)])),
      ...this.#shown.filter(({ isNew }) => isNew).map(restored),
    ];
  }

  #check(one: Shown, at: number, size: number): Finding[] {
    // A later restore may have removed entries that this restore kept.
    const later = this.#shown.slice(at + 1);
    if (later.some(({ lost, from }) => from.size < one.from.size && covers(lost, one.from))) return [];
    if (one.from.size > size) {
      const message = `the log has ${size} entries, but a signed statement says that ${one.from.size} were left after a restore`;
      return [{ code: 'log_cut', seal: null, message }];
    }
    // If the root could not be recomputed, an earlier entry is altered or missing, which is already a finding.
    const root = this.#roots.get(one.from.size);
    if (root === undefined || root === one.from.root) return [];
    const message = `the first ${one.from.size} entries differ from those that were left after a restore: the log was rewritten`;
    return [{ code: 'log_rewritten', seal: null, message }];
  }

  #fits({ from }: Restoration): boolean {
    return this.#roots.get(from.size) === from.root;
  }

  #isReplaced({ from }: Restoration): boolean {
    return this.#shown.some((one) => one.isNew && one.from.size <= from.size && this.#fits(one));
  }
}

function restored({ lost, from }: Restoration): Finding {
  const last = lost.size - 1;
  const entries = last === from.size ? `entry ${last} is` : `entries ${from.size} to ${last} are`;
  const message = `the log was restored from a backup: ${entries} lost; it had ${lost.size} entries, of which the first ${from.size} are left`;
  return { code: 'log_restored', seal: null, message };
}

function gone({ from }: Restoration): Finding {
  const message = `the statement that you acknowledged, of a restore that left ${from.size} entries, is no longer shown`;
  return { code: 'restoration_missing', seal: null, message };
}

function refusal(at: number, reason: string): Finding {
  return { code: 'signature_wrong', seal: null, message: `restoration ${at} was rejected (${reason})` };
}
