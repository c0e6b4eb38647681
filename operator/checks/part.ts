import type { FindingKind } from './findings.ts';

export interface Finding {
  readonly kind: FindingKind;
  /** Ids, months, numbers, times and commands, for programs. */
  readonly about: Readonly<Record<string, string | number | null>>;
  /** What is wrong, in plain English. */
  readonly text: string;
  /** The command or the change that corrects this finding. It may end with a command, so it has no full stop. */
  readonly remedy?: string;
}

/** The result of one part of the check: how many objects were checked, and the findings. */
export class Part<Counted extends string = string> {
  readonly title: string;
  readonly checked: Record<Counted, number>;
  readonly findings: Finding[] = [];
  /** The findings that the check has corrected, because `--adopt` is set. */
  readonly adopted: Finding[] = [];

  constructor(title: string, checked: Record<Counted, 0>) {
    this.title = title;
    this.checked = { ...checked };
  }

  count(what: Counted, by = 1): void {
    this.checked[what] += by;
  }
}
