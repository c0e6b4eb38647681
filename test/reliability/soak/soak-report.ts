import { markdownTable } from '../../../bench/table.ts';
import { isWithinLimit } from './growth.ts';
import type { Outcome } from './promises.ts';
import type { SoakResult } from './soak-run.ts';

/** The maximum number of flaws that are shown for one promise. */
const SHOWN = 10;

/** Returns the tables of figures and of promises. */
export function report({ comparisons, outcomes }: SoakResult): string {
  const figures = markdownTable(
    ['figure', 'first third', 'last third', 'at most', ''],
    comparisons.map((comparison) => {
      const cells = [comparison.first, comparison.last, comparison.most].map((figure) => show(figure, comparison.unit));
      return [comparison.name, ...cells, isWithinLimit(comparison) ? 'OK' : 'BROKEN'];
    }),
  );
  return `${figures}\n${reportPromises(outcomes)}`;
}

/** Returns the table of promises. */
export function reportPromises(outcomes: readonly Outcome[]): string {
  return markdownTable(
    ['promise', 'checked', 'flaws', ''],
    outcomes.map(({ promise, checked, flaws }) => [
      promise,
      checked.toLocaleString('en-US'),
      String(flaws.length),
      flaws.length === 0 ? 'OK' : 'BROKEN',
    ]),
  );
}

/** Returns one line for each flaw. Flaws with the same text share one line. */
export function flawsOf({ outcomes }: Pick<SoakResult, 'outcomes'>): string[] {
  return outcomes.flatMap(({ promise, flaws }) => {
    const counts = [...Map.groupBy(flaws, (flaw) => flaw)];
    const lines = counts.slice(0, SHOWN).map(([flaw, same]) => `${promise}: ${same.length} × ${flaw}`);
    return counts.length > SHOWN ? [...lines, `${promise}: ${counts.length - SHOWN} more`] : lines;
  });
}

function show(figure: number, unit: string): string {
  if (figure === Number.POSITIVE_INFINITY) return '';
  return `${figure.toFixed(figure < 100 ? 1 : 0).replace(/\.0$/, '')} ${unit}`.trim();
}
