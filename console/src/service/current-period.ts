import { useAnswer } from './answer.ts';
import { dailyUsage, statement } from './answers.ts';
import { periodOf } from './month.ts';

/** The service's current month by its answers; this machine's month before the first answer. */
export function useCurrentPeriod(): string {
  const { value: billed } = useAnswer(statement.of(undefined));
  const { value: used } = useAnswer(dailyUsage.of(undefined, undefined));
  return billed?.period ?? used?.[0]?.day.slice(0, 7) ?? periodOf(new Date());
}
