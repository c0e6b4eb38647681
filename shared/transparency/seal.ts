/** A seal of a tenant's log as `GET /v1/audit/seals` shows it. Times are RFC 3339 in UTC with microseconds. */
export interface Seal {
  /** 0 for the first. */
  readonly index: number;
  /** It covers the events of `from <= ts < until`; `from` is the `until` of the one before. */
  readonly from: string;
  readonly until: string;
  /** The number of its first entry in the log, which counts from 0, and how many it has. */
  readonly first_entry: number;
  readonly entries: number;
  /** How many entries the log has with it, and the root of their tree in base64. */
  readonly size: number;
  readonly root: string;
  /** Size and root as the log has signed them: a C2SP checkpoint. */
  readonly checkpoint: string;
}

/** What is wrong with a log. */
export type FindingCode =
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

/** One thing that is wrong with a log, and where. */
export interface Finding {
  readonly code: FindingCode;
  /** The index of the seal that it is found in; `null` when it is in none. */
  readonly seal: number | null;
  /** In words, for people. */
  readonly message: string;
}

/** A finding in a seal, whose period its message begins with. */
export function findingIn(seal: Seal, code: FindingCode, words: string): Finding {
  return { code, seal: seal.index, message: `seal ${seal.index} (${seal.from} to ${seal.until}): ${words}` };
}
