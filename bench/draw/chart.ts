import { type Axis, linearAxis, logAxis } from './axis.ts';
import type { Result } from './results.ts';
import { STYLE, TIER_LOOKS } from './style.ts';
import { element, line, text } from './svg.ts';

const WIDTH = 960;
const TOP = 118;
const BOTTOM = 30;
const ROW = 16;
const HEADING = 30;
const SHARE = { left: 170, right: 480 } as const;
const LATENCY = { left: 540, right: 940 } as const;

/** The results as one picture: throughput as a share of the floor's on the left, latency beside the floor's on the right. */
export function drawChart(results: readonly Result[]): string {
  const groups = [...Map.groupBy(results, ({ bytes, connections }) => `${bytes / 1024} KiB, ${countOf(connections)}`)];
  const tiers = [...new Set(results.map(({ tier }) => tier))];
  const lookOf = (tier: string) => TIER_LOOKS[tiers.indexOf(tier)] ?? 'd';
  const share = linearAxis(SHARE.left, SHARE.right, results.map(shareOf), 100, 25);
  const latency = logAxis(
    LATENCY.left,
    LATENCY.right,
    results.flatMap(({ measured, floor }) => [measured.p50, measured.p99, floor.p50]),
  );
  const height = TOP + BOTTOM + groups.reduce((sum, [, rows]) => sum + HEADING + rows.length * ROW, 0);
  const foot = height - BOTTOM;

  let y = TOP;
  const marks = groups.flatMap(([name, rows]) => {
    y += HEADING;
    const heading = text(12, y - 9, name, 'group');
    const drawn = rows.map((row) => {
      y += ROW;
      return drawRow(row, y - ROW / 2, lookOf(row.tier), share, latency);
    });
    return [heading, ...drawn];
  });
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${WIDTH} ${height}`,
      width: WIDTH,
      height,
      role: 'img',
      'aria-label': 'Throughput of each operation as a share of the floor, and its latency beside that of the floor',
    },
    element('style', {}, STYLE),
    element('rect', { width: WIDTH, height, class: 'ground' }),
    text(12, 24, 'The metered operations beside the floor of the same run', 'title'),
    ...drawLegend(tiers, lookOf),
    ...drawAxis(share, foot, 'throughput, % of the floor’s', (value) => `${value}`),
    ...drawAxis(latency, foot, 'latency in ms, logarithmic', (value) => `${value}`),
    ...marks,
  );
}

function drawRow(row: Result, y: number, look: string, share: Axis, latency: Axis): string {
  const { operation, tier, measured, floor } = row;
  const percent = shareOf(row);
  const [p50, p95, p99] = [latency.at(measured.p50), latency.at(measured.p95), latency.at(measured.p99)];
  const atFloor = latency.at(floor.p50);
  return element(
    'g',
    {},
    text(SHARE.left - 10, y + 4, `${operation}, ${tier}`, 'soft', 'end'),
    element('rect', {
      x: share.left,
      y: y - 5,
      width: share.at(percent) - share.left,
      height: 10,
      class: `${look} bar`,
    }),
    text(share.at(percent) + 5, y + 4, `${Math.round(percent)}`, 'soft'),
    line(atFloor, y - 6, atFloor, y + 6, 'floor'),
    line(p50, y, p99, y, `${look} span`),
    element('circle', { cx: p50, cy: y, r: 4, class: look }),
    line(p95, y - 5, p95, y + 5, `${look} span`),
    element('circle', { cx: p99, cy: y, r: 3.5, class: `${look} open` }),
  );
}

function drawAxis(axis: Axis, foot: number, name: string, show: (value: number) => string): string[] {
  const ticks = axis.ticks.flatMap((value) => [
    line(axis.at(value), TOP, axis.at(value), foot, 'rule'),
    text(axis.at(value), TOP - 6, show(value), 'soft', 'middle'),
    text(axis.at(value), foot + 14, show(value), 'soft', 'middle'),
  ]);
  return [text(axis.left, TOP - 24, name, 'group'), ...ticks];
}

function drawLegend(tiers: readonly string[], lookOf: (tier: string) => string): string[] {
  const y = 54;
  const tierMarks = tiers.flatMap((tier, n) => [
    element('rect', { x: SHARE.left + n * 95, y: y - 9, width: 12, height: 10, class: `${lookOf(tier)} bar` }),
    text(SHARE.left + n * 95 + 18, y, tier, 'soft'),
  ]);
  const x = LATENCY.left;
  const [look] = TIER_LOOKS;
  return [
    ...tierMarks,
    element('circle', { cx: x + 4, cy: y - 4, r: 4, class: look }),
    text(x + 14, y, 'p50', 'soft'),
    line(x + 60, y - 9, x + 60, y + 1, `${look} span`),
    text(x + 68, y, 'p95', 'soft'),
    element('circle', { cx: x + 114, cy: y - 4, r: 3.5, class: `${look} open` }),
    text(x + 124, y, 'p99', 'soft'),
    line(x + 172, y - 10, x + 172, y + 2, 'floor'),
    text(x + 180, y, 'p50 of the floor', 'soft'),
  ];
}

function shareOf({ measured, floor }: Result): number {
  return (100 * measured.perSecond) / floor.perSecond;
}

function countOf(connections: number): string {
  return connections === 1 ? '1 connection' : `${connections} connections`;
}
