import type { Statement } from '../../../../client/src/index.ts';
import { Known } from '../../parts/loaded.tsx';
import { useAnswer } from '../../service/answer.ts';
import { billing, statement, usage } from '../../service/answers.ts';
import { OVERAGE_CENTS, projectedCents } from '../../service/cost.ts';
import { daysOf } from '../../service/month.ts';
import { count, money, OVERVIEW } from '../../words.ts';

const DAY_MS = 86_400_000;

interface MonthFiguresProps {
  /** The month in the address, or `undefined` for the current month. */
  readonly asked: string | undefined;
  readonly now: Date;
}

/** The number of operations of a month, and its cost where billing is configured. */
export function MonthFigures({ asked, now }: MonthFiguresProps) {
  const { value: standing } = useAnswer(billing.of());
  const isBilled = standing !== undefined && standing !== null;
  const used = useAnswer(usage.of(asked));
  const billed = useAnswer(statement.of(asked));
  // If neither is known, one text says so.
  const showsCost = isBilled && (used.value !== undefined || billed.value !== undefined);
  return (
    <>
      <div class="numbers">
        <Known answer={used}>
          {(lines) => (
            <dl>
              <Figure name={OVERVIEW.count} text={count(lines.reduce((sum, { ops }) => sum + ops, 0))} />
            </dl>
          )}
        </Known>
        {showsCost && (
          <Known answer={billed}>{(month) => <Cost of={month} isCurrent={asked === undefined} now={now} />}</Known>
        )}
      </div>
      {showsCost && asked === undefined && <p class="small muted">{OVERVIEW.costNote}</p>}
    </>
  );
}

function Figure({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

interface CostProps {
  readonly of: Statement;
  readonly isCurrent: boolean;
  readonly now: Date;
}

/** The cost of a month. For the current month, it also shows a projection for the whole month. */
function Cost({ of: month, isCurrent, now }: CostProps) {
  const soFar = money(Number(month.total_cents));
  const forecast = money(projectedCents(month, OVERAGE_CENTS, elapsedOf(month.period, now)));
  const isWhole = soFar === forecast;
  return (
    <dl>
      <Figure name={isCurrent ? (isWhole ? OVERVIEW.wholeMonth : OVERVIEW.soFar) : OVERVIEW.cost} text={soFar} />
      {isCurrent && !isWhole && <Figure name={OVERVIEW.forecast} text={forecast} />}
    </dl>
  );
}

/** Returns which fraction of a month has passed, from 0 to 1. */
function elapsedOf(period: string, now: Date): number {
  const elapsed = (now.getTime() - Date.parse(`${period}-01T00:00:00Z`)) / (daysOf(period) * DAY_MS);
  return Math.min(1, Math.max(0, elapsed));
}
