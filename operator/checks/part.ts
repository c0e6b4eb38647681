import { type Instant, makeInstant } from '../../shared/base/clock.ts';
import { FairQueue, type Turns } from '../../shared/base/fair-queue.ts';
import { type Month, monthOf, monthStart, nextMonthStart } from '../../shared/base/month.ts';
import { FINDINGS, type FindingKind } from './findings.ts';

export const CHECKING: Turns = {
  what: 'items that `check-store` or `restart-logs` checks',
  owner: 'process',
  running: 8,
  runningPerOwner: 8,
};

/** Checks the items of a page concurrently. Reads the next page only after that, so that memory holds only one page. */
export async function checkEach<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  check: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = new FairQueue(CHECKING);
  for await (const page of pages) await Promise.all(page.map((item) => queue.run('', () => check(item))));
}

export function monthBefore(month: Month): Month {
  return monthOf(makeInstant(monthStart(month) - 1));
}

/** Returns the months from `since` to the month of `now`, both included. */
export function monthsFrom(since: Month, now: Instant): Month[] {
  const months: Month[] = [];
  for (let month = since; month <= monthOf(now); month = monthOf(nextMonthStart(month))) months.push(month);
  return months;
}

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

/**
 * Returns a part as text: its title, a table of counts, a line for each finding, and advice for each kind of finding.
 */
export function renderPart({ title, checked, findings, adopted }: Part): string {
  const rows = Object.entries({
    ...checked,
    findings: findings.length,
    ...(adopted.length > 0 && { adopted: adopted.length }),
  });
  const numbers = rows.map(([, number]) => number.toLocaleString('en-US'));
  const widths = [
    Math.max(...rows.map(([what]) => what.length)),
    Math.max(...numbers.map((number) => number.length)),
  ] as const;
  const table = rows.map(([what], at) => `  ${what.padEnd(widths[0])}  ${(numbers[at] ?? '').padStart(widths[1])}`);
  const lines = [
    ...findings.map(({ kind, text, remedy }) => `${kind}: ${text}${remedy === undefined ? '' : `. ${remedy}`}`),
    ...[...new Set(findings.map(({ kind }) => kind))].map(
      (kind) => `What to do about ${kind}: ${FINDINGS[kind].action}`,
    ),
    ...adopted.map(({ kind, text }) => `adopted, ${kind}: ${text}`),
  ];
  return [title, ...table, ...lines, ''].join('\n');
}
