import type { Checkpoint } from './checkpoint.ts';
import { type Entry, encodeEntry } from './entry.ts';
import { type Finding, findingIn, type Seal } from './seal.ts';
import { CompactRange, encodeHash, hashLeaf } from './tree.ts';
import type { VerifierKey } from './verifier-key.ts';
import { RestorationVerifier } from './verify-restorations.ts';
import { checkRows } from './verify-rows.ts';
import { checkEntries, checkPlace, checkSignature } from './verify-seal.ts';

/**
 * Verifies a tenant's log from what the routes answer, seal after seal from the first: it recomputes the tree from the
 * entries and asks of nobody but the key that signed it. Of what it has seen it keeps the right edge of the tree alone.
 */
export class LogVerifier {
  readonly #key: VerifierKey;
  readonly #kept: Checkpoint | undefined;
  readonly #restorations: RestorationVerifier;
  readonly #tree = CompactRange.empty();
  #previous: Seal | undefined;
  #verified: string | undefined;
  /** Whether the tree is still that of the log: after an entry that is not as it was, no later root can be recomputed. */
  #isIntact = true;

  /**
   * `kept`: the checkpoint that an earlier verification ended with, which the log must have grown from, unless one of the
   * `restorations` explains why not.
   */
  constructor(key: VerifierKey, kept?: Checkpoint, restorations = new RestorationVerifier(key, [])) {
    this.#key = key;
    this.#kept = kept;
    this.#restorations = restorations;
  }

  /** The checkpoint of the newest seal that is right and whose tree was recomputed from the first entry on: what to keep for the next time. */
  get verified(): string | undefined {
    return this.#verified;
  }

  /**
   * What is wrong with the next seal. `entries` are those that the log shows for it, in their order, `undefined` where it
   * shows none; `rows` the events that the audit log shows for its period.
   */
  check(seal: Seal, entries: readonly (Entry | undefined)[], rows: readonly Entry[]): Finding[] {
    const findings = checkPlace(seal, this.#previous);
    const { signed, findings: wrong } = checkSignature(seal, this.#key);
    findings.push(...wrong, ...checkEntries(seal, entries));
    findings.push(...this.#follow(seal, entries, signed));
    if (this.#isIntact && findings.length === 0) this.#verified = seal.checkpoint;
    this.#previous = seal;
    return [...findings, ...checkRows(seal, entries, rows)];
  }

  /** What is wrong with the end of the log, once every seal is checked. */
  finish(): Finding[] {
    const size = this.#previous?.size ?? 0;
    return [...this.#checkEnd(size), ...this.#restorations.finish(size)];
  }

  #checkEnd(size: number): Finding[] {
    if (this.#kept === undefined || this.#kept.size <= size || this.#restorations.explains(this.#kept)) return [];
    const message = `the log has ${size} entries, but had ${this.#kept.size} at the last verification: its end was removed`;
    return [{ code: 'log_cut', seal: null, message }];
  }

  /** Grows the tree by the entries, and holds it against the checkpoint that was kept and against what was signed. */
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
    // Either is enough: which of the two is wrong is found already, and the next seal's signature covers these entries, too.
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
