import type { Statement } from '../../../../client/src/index.ts';
import { OVERAGE_CENTS, projectedCents } from '../../service/cost.ts';
import { daysOf } from '../../service/month.ts';
import { money, monthName, OVERVIEW } from '../../words.ts';

const DAY_MS = 86_400_000;

interface CostProps {
  readonly of: Statement;
  readonly isCurrent: boolean;
  readonly now: Date;
}

/** The cost of a month. For the current month, it also shows a projection for the whole month. */
export function Cost({ of: month, isCurrent, now }: CostProps) {
  return (
    <>
      <dl class="numbers">
        <div>
          <dt>{isCurrent ? OVERVIEW.soFar : monthName(month.period)}</dt>
          <dd>{money(Number(month.total_cents))}</dd>
        </div>
        {isCurrent && (
          <div>
            <dt>{OVERVIEW.heading}</dt>
            <dd>{money(projectedCents(month, OVERAGE_CENTS, elapsedOf(month.period, now)))}</dd>
          </div>
        )}
      </dl>
      {isCurrent && <p class="small muted">{OVERVIEW.costNote}</p>}
    </>
  );
}

/** Returns which fraction of a month has passed, from 0 to 1. */
function elapsedOf(period: string, now: Date): number {
  const elapsed = (now.getTime() - Date.parse(`${period}-01T00:00:00Z`)) / (daysOf(period) * DAY_MS);
  return Math.min(1, Math.max(0, elapsed));
}
