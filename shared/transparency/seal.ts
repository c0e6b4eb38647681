/** A seal as `GET /v1/audit/seals` shows it. Times are RFC 3339 in UTC with microseconds. */
export interface Seal {
  readonly index: number;
  /** The period is `from <= ts < until`. `from` equals the previous seal's `until`. */
  readonly from: string;
  readonly until: string;
  /** The index (from 0) of the seal's first entry in the log. `entries` is the number of entries in the seal. */
  readonly first_entry: number;
  readonly entries: number;
  /** The number of entries in the log up to and including this seal. `root` is their root hash in base64. */
  readonly size: number;
  readonly root: string;
  /** The signed C2SP checkpoint that contains `size` and `root`. */
  readonly checkpoint: string;
}

type FindingCode =
  | 'seal_missing'
  | 'seal_repeated'
  | 'seal_broken'
  | 'seal_altered'
  | 'signature_wrong'
  | 'entry_missing'
  | 'entry_misplaced'
  | 'entries_altered'
  | 'row_added'
  | 'row_altered'
  | 'row_missing'
  | 'unsealed'
  | 'log_cut'
  | 'log_rewritten'
  | 'log_restored'
  | 'restoration_missing'
  | 'rows_fewer'
  | 'rows_more';

export interface Finding {
  readonly code: FindingCode;
  /** The index of the affected seal, or `null`. */
  readonly seal: number | null;
  /** A description for people. */
  readonly message: string;
}

export function findingIn(seal: Seal, code: FindingCode, words: string): Finding {
  return { code, seal: seal.index, message: `seal ${seal.index} (${seal.from} to ${seal.until}): ${words}` };
}
