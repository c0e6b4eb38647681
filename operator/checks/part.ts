/** Every kind of finding; docs/operate.md says of each what it means and what to do. */
export const KINDS = [
  'crypto-key-missing',
  'version-scheduled',
  'version-destroyed',
  'version-disabled',
  'version-missing',
  'version-unlisted',
  'rotation-lost',
  'data-key-unopened',
  'crypto-key-unknown',
  'count-differs',
  'name-unclaimed',
  'name-held',
  'operations-differ',
  'customer-differs',
  'subscription-differs',
  'month-open',
  'month-not-invoiced',
  'month-invoiced-twice',
  'invoice-differs',
] as const;

export interface Finding {
  readonly kind: (typeof KINDS)[number];
  /** What it is about, for programs: ids, months, numbers, times, commands. */
  readonly about: Readonly<Record<string, string | number | null>>;
  /** What is wrong, in plain English. */
  readonly text: string;
  /** What to do. It may end with a command, so it has no full stop. */
  readonly remedy?: string;
}

/** A part of the check: how many things it looked at, and what it found. */
export class Part<Counted extends string = string> {
  readonly title: string;
  readonly checked: Record<Counted, number>;
  readonly findings: Finding[] = [];
  /** What the check corrected because it was asked to. */
  readonly adopted: Finding[] = [];

  constructor(title: string, checked: Record<Counted, 0>) {
    this.title = title;
    this.checked = { ...checked };
  }

  count(what: Counted, by = 1): void {
    this.checked[what] += by;
  }
}
