import type { DailyUsageLine } from '../../../client/src/index.ts';
import { Link } from '../address/link.tsx';
import { pathOfKey } from '../address/paths.ts';
import { daysOf } from '../service/month.ts';
import { count, countInShort, monthName, OVERVIEW } from '../words.ts';
import { Name } from './name.tsx';
import { roundUp, seriesOf } from './plot-series.ts';
import { useWidth } from './width.ts';

/** The width in pixels that is used until the element has been measured. */
const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 44;
const BOTTOM = 20;
const TOP = 8;

interface PlotProps {
  readonly lines: readonly DailyUsageLine[];
  readonly period: string;
  readonly nameOf: (keyId: string) => string;
  /** Whether all lines are about the key whose page this is. Then neither legend nor table names it. */
  readonly isOneKey?: boolean;
}

/** A chart of the operations per day, as stacked bars with one series per key. A table below shows the same figures. */
export function Plot({ lines, period, nameOf, isOneKey = false }: PlotProps) {
  const series = seriesOf(lines, period);
  const days = daysOf(period);
  const totals = Array.from({ length: days }, (_, at) => series.reduce((sum, one) => sum + (one.days[at] ?? 0), 0));
  const top = roundUp(Math.max(...totals, 1));
  const [frame, width] = useWidth<HTMLDivElement>(WIDTH);
  const slot = (width - LEFT) / days;
  const y = (ops: number): number => TOP + (HEIGHT - BOTTOM - TOP) * (1 - ops / top);
  const label = (keyId: string | undefined): string => (keyId === undefined ? OVERVIEW.others : nameOf(keyId));
  const all = totals.reduce((sum, one) => sum + one, 0);
  return (
    <div class="plot">
      <div ref={frame}>
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          role="img"
          aria-label={`${OVERVIEW.operations}: ${OVERVIEW.total(all, period)}`}
        >
          {(all === 0 ? [0] : [0, top / 2, top]).map((tick) => (
            <g key={tick}>
              <line class="grid" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
              <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
                {Number.isInteger(tick) ? countInShort(tick) : ''}
              </text>
            </g>
          ))}
          {totals.map((_, at) => {
            let below = 0;
            return series.map(({ keyId, days: ops }, index) => {
              const here = ops[at] ?? 0;
              if (here === 0) return null;
              below += here;
              const height = Math.max(1, y(below - here) - y(below));
              return (
                <rect
                  key={`${at}-${keyId}`}
                  class={`series series-${index}`}
                  x={LEFT + slot * at + slot * 0.15}
                  width={slot * 0.7}
                  y={y(below)}
                  height={height}
                >
                  <title>{`${period}-${String(at + 1).padStart(2, '0')} · ${label(keyId)}: ${count(here)}`}</title>
                </rect>
              );
            });
          })}
          {totals.map((_, at) =>
            at % 5 === 0 || at === days - 1 ? (
              <text
                key={at}
                x={at === days - 1 ? width : LEFT + slot * (at + 0.5)}
                y={HEIGHT - 4}
                text-anchor={at === days - 1 ? 'end' : 'middle'}
              >
                {at + 1}
              </text>
            ) : null,
          )}
        </svg>
        {!isOneKey && (
          <ul class="legend">
            {series.map(({ keyId, total }, index) => (
              <li key={keyId ?? ''}>
                <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
                  <rect class={`series series-${index}`} width="12" height="12" />
                </svg>
                {label(keyId)} <span class="muted figure">{count(total)}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <section class="figures" tabIndex={0} aria-label={OVERVIEW.figures}>
        <table class="compact">
          <caption class="unseen">{OVERVIEW.operations}</caption>
          <thead>
            <tr>
              <th scope="col">{OVERVIEW.day}</th>
              {!isOneKey && <th scope="col">{OVERVIEW.key}</th>}
              <th scope="col" class="number">
                {OVERVIEW.count}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.toReversed().map(({ day, key_id, ops }) => (
              <tr key={`${day}-${key_id}`}>
                <td>{day}</td>
                {!isOneKey && (
                  <td>
                    <Link to={pathOfKey(key_id)}>
                      <Name text={nameOf(key_id)} />
                    </Link>
                  </td>
                )}
                <td class="number">{count(ops)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {lines.length === 0 && <p class="muted">{OVERVIEW.none(monthName(period))}</p>}
      </section>
    </div>
  );
}
