import type { Statement } from '../../../../client/src/index.ts';
import { Link } from '../../address/link.tsx';
import { pathOfKey } from '../../address/paths.ts';
import { Known } from '../../parts/loaded.tsx';
import { MonthSteps, useMonth } from '../../parts/month-steps.tsx';
import { Name } from '../../parts/name.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import { keys, statement } from '../../service/answers.ts';
import { BILLING, count, exactMoney, money, monthName } from '../../words.ts';

type Line = Statement['lines'][number];

const { columns } = BILLING;

/** The columns with numbers. */
const FIGURES: readonly { readonly title: string; readonly of: (line: Line) => string }[] = [
  { title: columns.fee, of: ({ fee_cents }) => exactMoney(fee_cents) },
  { title: columns.ops, of: ({ ops }) => count(ops) },
  { title: columns.allowance, of: ({ allowance }) => count(allowance) },
  { title: columns.overage, of: ({ overage_ops }) => count(overage_ops) },
  { title: columns.overageCost, of: ({ overage_cents }) => exactMoney(overage_cents) },
  { title: columns.sum, of: ({ fee_cents, overage_cents }) => exactMoney(addCents(fee_cents, overage_cents)) },
];

/** The statement of a month, with one line per paid key. */
export function MonthlyStatement() {
  const { asked, period } = useMonth();
  const { value: allKeys = [] } = useAnswer(keys.of());
  const exists = (keyId: string): boolean => allKeys.some(({ id }) => id === keyId);
  return (
    <Section title={BILLING.statement} aside={<MonthSteps />}>
      <Known answer={statement.of(asked)}>
        {({ lines, total_cents }) => (
          <table class="statement">
            <caption class="unseen">{`${BILLING.statement} ${monthName(period)}`}</caption>
            <thead>
              <tr>
                <th scope="col">{columns.key}</th>
                {FIGURES.map(({ title }) => (
                  <th key={title} scope="col" class="number">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <tr key={line.key_id}>
                  <th scope="row" data-title={columns.key}>
                    {exists(line.key_id) ? (
                      <Link to={pathOfKey(line.key_id)}>
                        <Name text={line.key_name} />
                      </Link>
                    ) : (
                      <Name text={line.key_name} />
                    )}{' '}
                    <span class="beneath">{existenceOf(line)}</span>
                  </th>
                  {FIGURES.map(({ title, of }) => (
                    <td key={title} class="number" data-title={title}>
                      {of(line)}
                    </td>
                  ))}
                </tr>
              ))}
              {lines.length === 0 && (
                <tr>
                  <td colSpan={FIGURES.length + 1} class="muted">
                    {BILLING.noLines}
                  </td>
                </tr>
              )}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={FIGURES.length}>
                  {BILLING.total}
                </th>
                <td class="number">
                  <strong>{money(Number(total_cents))}</strong>
                </td>
              </tr>
            </tfoot>
          </table>
        )}
      </Known>
      <p class="small muted">{BILLING.rounding}</p>
    </Section>
  );
}

/** Returns a key's tier and, if known, how many days of the month the key existed. */
function existenceOf({ tier, days, days_in_month }: Line): string {
  return days === null || days_in_month === null ? tier : BILLING.existed(tier, days, days_in_month);
}

const PLACES = 100_000;

/** Returns the exact sum of two amounts in cents with up to 5 decimal places. */
function addCents(a: string, b: string): string {
  const parts = [a, b].map((amount) => Math.round(Number(amount) * PLACES));
  return String(parts.reduce((sum, one) => sum + one, 0) / PLACES);
}
