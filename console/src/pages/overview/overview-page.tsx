import { Failure, Known, Loading } from '../../parts/loaded.tsx';
import { MonthSteps, useMonth } from '../../parts/month-steps.tsx';
import { Page } from '../../parts/page.tsx';
import { Plot } from '../../parts/plot.tsx';
import { Section } from '../../parts/section.tsx';
import { useAnswer } from '../../service/answer.ts';
import {
  apiKeys,
  billing,
  dailyUsage,
  hasOperated,
  keys,
  recentErrors,
  statement,
  usage,
} from '../../service/answers.ts';
import { may } from '../../session/role.ts';
import { OVERVIEW } from '../../words.ts';
import { AllowanceTable } from './allowance-table.tsx';
import { Attention } from './attention.tsx';
import { FirstSteps } from './first-steps.tsx';
import { MonthFigures } from './month-figures.tsx';

export function OverviewPage() {
  const now = new Date();
  const { asked, period } = useMonth();
  const { value: allKeys } = useAnswer(keys.of());
  const { value: standing } = useAnswer(billing.of());
  const isBilled = standing !== undefined && standing !== null;
  const daily = useAnswer(dailyUsage.of(asked, undefined));
  const used = usage.of(asked);
  const { value: operated, problem } = useAnswer(hasOperated.of());
  const canStart = asked === undefined && may('create');
  // A new tenant sees its first steps instead of empty figures.
  const isNew = canStart && daily.value?.length === 0 && operated !== true && problem === undefined;
  const names = new Map(allKeys?.map(({ id, name }) => [id, name]));
  const nameOf = (id: string): string => names.get(id) ?? `${id.slice(0, 8)}…`;
  const frozen = new Set(allKeys?.filter(({ frozen_at }) => frozen_at !== null).map(({ id }) => id));
  return (
    <Page title={OVERVIEW.title}>
      <Failure
        of={[daily, used, keys.of(), apiKeys.of(), recentErrors.of(), isBilled ? statement.of(asked) : billing.of()]}
      />
      {asked === undefined && <Attention now={now} />}
      {canStart && <FirstSteps />}
      {isNew && operated === undefined && <Loading />}
      {(!isNew || (allKeys !== undefined && allKeys.length > 0)) && (
        <Section title={OVERVIEW.month} aside={<MonthSteps />}>
          <MonthFigures asked={asked} now={now} />
        </Section>
      )}
      {!isNew && (
        <>
          <Section title={OVERVIEW.operations}>
            <Known answer={daily}>{(lines) => <Plot lines={lines} period={period} nameOf={nameOf} />}</Known>
          </Section>
          <Section title={OVERVIEW.allowance}>
            <Known answer={used}>
              {(lines) => <AllowanceTable lines={lines} nameOf={nameOf} isFrozen={(id) => frozen.has(id)} />}
            </Known>
          </Section>
        </>
      )}
    </Page>
  );
}
