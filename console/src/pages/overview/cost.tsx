import { Loaded } from '../../parts/loaded.tsx';
import { statement } from '../../service/answers.ts';
import { OVERAGE_CENTS, projectedCents } from '../../service/cost.ts';
import { daysOf } from '../../service/month.ts';
import { money, OVERVIEW } from '../../words.ts';

const DAY_MS = 86_400_000;

interface CostProps {
  /** Without one, the current month. */
  readonly period: string | undefined;
  readonly now: Date;
}

/** What the month costs so far, and where it is heading. */
export function Cost({ period, now }: CostProps) {
  return (
    <Loaded answer={statement.of(period)}>
      {(month) => (
        <>
          <dl class="numbers">
            <div>
              <dt>{period ?? OVERVIEW.soFar}</dt>
              <dd>{money(Number(month.total_cents))}</dd>
            </div>
            {period === undefined && (
              <div>
                <dt>{OVERVIEW.heading}</dt>
                <dd>{money(projectedCents(month, OVERAGE_CENTS, elapsedOf(month.period, now)))}</dd>
              </div>
            )}
          </dl>
          <p class="small muted">{OVERVIEW.costNote}</p>
        </>
      )}
    </Loaded>
  );
}

/** The part of a month that is over, 0 to 1. */
function elapsedOf(period: string, now: Date): number {
  const elapsed = (now.getTime() - Date.parse(`${period}-01T00:00:00Z`)) / (daysOf(period) * DAY_MS);
  return Math.min(1, Math.max(0, elapsed));
}
