import type { Checkpoint } from './checkpoint.ts';
import { type Entry, encodeEntry } from './entry.ts';
import { type Finding, findingIn, type Seal } from './seal.ts';
import { CompactRange, encodeHash, hashLeaf } from './tree.ts';
import type { VerifierKey } from './verifier-key.ts';
import { RestorationVerifier } from './verify-restorations.ts';
import { checkRows } from './verify-rows.ts';
import { checkEntries, checkPlace, checkSignature } from './verify-seal.ts';

/** Verifies a log seal by seal. Recomputes the tree and trusts only the signing key. Needs constant memory. */
export class LogVerifier {
  readonly #key: VerifierKey;
  readonly #kept: Checkpoint | undefined;
  readonly #restorations: RestorationVerifier;
  readonly #tree = CompactRange.empty();
  #previous: Seal | undefined;
  #verified: string | undefined;
  /** Whether the tree can still be recomputed. After an altered or missing entry, it cannot. */
  #isIntact = true;

  /** The log must extend `kept`, the checkpoint of an earlier verification, unless a restore explains the loss. */
  constructor(key: VerifierKey, kept?: Checkpoint, restorations = new RestorationVerifier(key, [])) {
    this.#key = key;
    this.#kept = kept;
    this.#restorations = restorations;
  }

  /** The checkpoint to keep for the next verification. It is from the newest valid seal whose tree was recomputed. */
  get verified(): string | undefined {
    return this.#verified;
  }

  /** Returns a seal's findings. `entries` are in order, `undefined` if missing. `rows` are the audit log's events. */
  check(seal: Seal, entries: readonly (Entry | undefined)[], rows: readonly Entry[]): Finding[] {
    const findings = checkPlace(seal, this.#previous);
    const { signed, findings: wrong } = checkSignature(seal, this.#key);
    findings.push(...wrong, ...checkEntries(seal, entries));
    findings.push(...this.#follow(seal, entries, signed));
    if (this.#isIntact && findings.length === 0) this.#verified = seal.checkpoint;
    this.#previous = seal;
    return [...findings, ...checkRows(seal, entries, rows)];
  }

  /** Returns the findings about the end of the log and about restores. Must be called after the last seal. */
  finish(): Finding[] {
    const size = this.#previous?.size ?? 0;
    return [...this.#checkEnd(size), ...this.#restorations.finish(size)];
  }

  #checkEnd(size: number): Finding[] {
    if (this.#kept === undefined || this.#kept.size <= size || this.#restorations.explains(this.#kept)) return [];
    const message = `the log has ${size} entries, but had ${this.#kept.size} at the last verification: its end was removed`;
    return [{ code: 'log_cut', seal: null, message }];
  }

  /** Appends a seal's entries to the tree and compares it with the kept and the signed checkpoint. */
  #follow(seal: Seal, entries: readonly (Entry | undefined)[], signed: Checkpoint | undefined): Finding[] {
    const isWhole = entries.length >= seal.entries && !entries.includes(undefined);
    if (!this.#isIntact || !isWhole || seal.first_entry !== this.#tree.size) return this.#lose();
    for (const entry of entries) {
      if (entry !== undefined) this.#tree.append(hashLeaf(encodeEntry(entry)));
      this.#restorations.note(this.#tree.size, () => this.#root());
      if (
        this.#kept?.size === this.#tree.size &&
        this.#kept.root !== this.#root() &&
        signed?.root !== this.#kept.root &&
        !this.#restorations.explains(this.#kept)
      ) {
        const words = `the first ${this.#kept.size} entries differ from those verified last time: the log was rewritten`;
        return this.#lose(findingIn(seal, 'log_rewritten', words));
      }
    }
    // The root must match the checkpoint or the seal. If only one matches, their difference is already a finding.
    if ([signed, seal].some((claim) => claim?.size === this.#tree.size && claim.root === this.#root())) return [];
    const words =
      'its entries were altered, added, removed or reordered after sealing; later seals cannot be recomputed';
    return this.#lose(findingIn(seal, 'entries_altered', words));
  }

  #lose(...findings: Finding[]): Finding[] {
    this.#isIntact = false;
    return findings;
  }

  #root(): string {
    return encodeHash(this.#tree.root());
  }
}
