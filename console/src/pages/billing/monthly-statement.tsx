import { setQuery, useAddress } from '../../address/address.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { statement } from '../../service/answers.ts';
import { useCurrentPeriod } from '../../service/current-period.ts';
import { readPeriod, shiftPeriod } from '../../service/month.ts';
import { BILLING, count, exactMoney, money } from '../../words.ts';

/** What a month costs, a line for each paid key, added up. */
export function MonthlyStatement() {
  const { query } = useAddress();
  const current = useCurrentPeriod();
  const asked = query.get('period') ?? '';
  const given = readPeriod(asked);
  const period = given ?? current;
  const show = (month: string): void => setQuery({ period: month === current ? undefined : month });
  const { columns } = BILLING;
  const steps = (
    <div class="row">
      <button type="button" onClick={() => show(shiftPeriod(period, -1))}>
        {BILLING.previous}
      </button>
      <strong>{period}</strong>
      <button type="button" disabled={period >= current} onClick={() => show(shiftPeriod(period, 1))}>
        {BILLING.next}
      </button>
    </div>
  );
  return (
    <Section title={BILLING.statement} aside={steps}>
      <Loaded answer={statement.of(given)}>
        {({ lines, total_cents }) => (
          <table class="statement">
            <caption class="unseen">{`${BILLING.statement} ${period}`}</caption>
            <thead>
              <tr>
                <th scope="col">{columns.key}</th>
                <th scope="col">{columns.tier}</th>
                {[
                  columns.days,
                  columns.fee,
                  columns.ops,
                  columns.allowance,
                  columns.overage,
                  columns.overageCost,
                  columns.total,
                ].map((title) => (
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
                    {line.key_name}
                  </th>
                  <td data-title={columns.tier}>{line.tier}</td>
                  <td class="number" data-title={columns.days}>
                    {line.days === null || line.days_in_month === null
                      ? ''
                      : BILLING.daysOf(line.days, line.days_in_month)}
                  </td>
                  <td class="number" data-title={columns.fee}>
                    {exactMoney(line.fee_cents)}
                  </td>
                  <td class="number" data-title={columns.ops}>
                    {count(line.ops)}
                  </td>
                  <td class="number" data-title={columns.allowance}>
                    {count(line.allowance)}
                  </td>
                  <td class="number" data-title={columns.overage}>
                    {count(line.overage_ops)}
                  </td>
                  <td class="number" data-title={columns.overageCost}>
                    {exactMoney(line.overage_cents)}
                  </td>
                  <td class="number" data-title={columns.total}>
                    {exactMoney(addCents(line.fee_cents, line.overage_cents))}
                  </td>
                </tr>
              ))}
              {lines.length === 0 && (
                <tr>
                  <td colSpan={9} class="muted">
                    {BILLING.noLines}
                  </td>
                </tr>
              )}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={8}>
                  {BILLING.total}
                </th>
                <td class="number">
                  <strong>{money(Number(total_cents))}</strong>
                </td>
              </tr>
            </tfoot>
          </table>
        )}
      </Loaded>
      <p class="small muted">{BILLING.rounding}</p>
    </Section>
  );
}

const PLACES = 100_000;

/** The sum of two amounts of cents of up to 5 places, exact, as they have them. */
export function addCents(a: string, b: string): string {
  const parts = [a, b].map((amount) => Math.round(Number(amount) * PLACES));
  return String(parts.reduce((sum, one) => sum + one, 0) / PLACES);
}
