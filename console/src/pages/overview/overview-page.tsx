import { setQuery, useAddress } from '../../address/address.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Plot } from '../../parts/plot.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import { apiKeys, billing, dailyUsage, keys } from '../../service/answers.ts';
import { useCurrentPeriod } from '../../service/current-period.ts';
import { readPeriod, shiftPeriod } from '../../service/month.ts';
import { BILLING, OVERVIEW } from '../../words.ts';
import { AllowanceTable } from './allowance-table.tsx';
import { Attention } from './attention.tsx';
import { Cost } from './cost.tsx';
import { FirstSteps } from './first-steps.tsx';

/** The month: operations by day and key, allowances, cost; and what wants a look. For a new tenant the first steps. */
export function OverviewPage() {
  const { query } = useAddress();
  const now = new Date();
  const current = useCurrentPeriod();
  const asked = query.get('period') ?? '';
  const month = readPeriod(asked);
  const period = month ?? current;
  const { value: allKeys } = useAnswer(keys.of());
  const { value: allApiKeys } = useAnswer(apiKeys.of());
  const { value: lines } = useAnswer(dailyUsage.of(undefined, undefined));
  const { value: standing } = useAnswer(billing.of());
  const names = new Map(allKeys?.map(({ id, name }) => [id, name]));
  const isNew = allKeys !== undefined && allApiKeys !== undefined && lines !== undefined && lines.length === 0;
  const show = (other: string): void => setQuery({ period: other === current ? undefined : other });
  const steps = (
    <div class="row">
      <button type="button" aria-label={BILLING.previous} onClick={() => show(shiftPeriod(period, -1))}>
        ‹
      </button>
      <strong>{period}</strong>
      <button
        type="button"
        aria-label={BILLING.next}
        disabled={period >= current}
        onClick={() => show(shiftPeriod(period, 1))}
      >
        ›
      </button>
    </div>
  );
  return (
    <Page title={OVERVIEW.title}>
      {isNew && period === current && <FirstSteps keys={allKeys} apiKeys={allApiKeys} hasOperated={lines.length > 0} />}
      <Section title={OVERVIEW.operations} aside={steps}>
        <Loaded answer={dailyUsage.of(month, undefined)}>
          {(daily) => <Plot lines={daily} period={period} nameOf={(id) => names.get(id) ?? `${id.slice(0, 8)}…`} />}
        </Loaded>
      </Section>
      <div class="columns">
        <Section title={OVERVIEW.allowance}>
          <AllowanceTable period={month} nameOf={(id) => names.get(id) ?? `${id.slice(0, 8)}…`} />
        </Section>
        {standing !== undefined && standing !== null && (
          <Section title={OVERVIEW.cost}>
            <Cost period={month} now={now} />
          </Section>
        )}
      </div>
      <Attention keys={allKeys} apiKeys={allApiKeys} now={now} />
    </Page>
  );
}
