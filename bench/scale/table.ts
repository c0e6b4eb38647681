import { alignColumns } from '../table.ts';
import type { Cost } from './measure.ts';

export interface ScaleRow {
  readonly route: string;
  readonly empty: Cost;
  readonly full: Cost;
}

const HEAD = ['route', 'rows', 'trips', 'read', 'written', 'p50 empty', 'full', 'ratio', 'bare', 'of bare'];

/** Returns whether the route has the same round trips, documents and length of the answer on both stores. */
export function costsTheSame({ empty, full }: ScaleRow): boolean {
  const counted = ({ trips, billed, rows }: Cost) => JSON.stringify([trips, billed, rows]);
  return counted(empty) === counted(full);
}

/** Returns a table. A count that differs between the stores is shown as `empty -> full`. */
export function showScale(rows: readonly ScaleRow[]): string {
  return alignColumns([HEAD, ...rows.map(cells)]);
}

function cells({ route, empty, full }: ScaleRow): string[] {
  const both = (of: (cost: Cost) => string | number) =>
    of(empty) === of(full) ? `${of(empty)}` : `${of(empty)} -> ${of(full)}`;
  const ratio = full.p50 / empty.p50;
  const bareRatio = full.bareP50 / empty.bareP50;
  return [
    route,
    both(({ rows }) => rows),
    both(({ trips }) => showTrips(trips)),
    both(({ billed }) => billed.documents),
    both(({ billed }) => billed.writes),
    empty.p50.toFixed(2),
    full.p50.toFixed(2),
    ratio.toFixed(2),
    bareRatio.toFixed(2),
    (ratio / bareRatio).toFixed(2),
  ];
}

function showTrips(trips: Cost['trips']): string {
  const made = Object.entries(trips).filter(([, count]) => count > 0);
  return made.map(([kind, count]) => `${kind} ${count}`).join(', ');
}
