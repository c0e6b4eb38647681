import { alignColumns } from '../table.ts';
import type { Cost } from './measure.ts';

/** A route's cost on a nearly empty store and on a full one. */
export interface ScaleRow {
  readonly route: string;
  readonly empty: Cost;
  readonly full: Cost;
}

const HEAD = ['route', 'rows', 'trips', 'read', 'written', 'p50 empty', 'full', 'ratio', 'bare', 'of bare'];

/** Whether a route does on the full store exactly what it did on the empty one: same trips, documents and answer. */
export function costsTheSame({ empty, full }: ScaleRow): boolean {
  const counted = ({ trips, passed, rows }: Cost) => JSON.stringify([trips, passed, rows]);
  return counted(empty) === counted(full);
}

/** The rows as a table for people. A figure that differs between the stores stands as `empty -> full`. */
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
    both(({ passed }) => passed.documents),
    both(({ passed }) => passed.writes),
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
