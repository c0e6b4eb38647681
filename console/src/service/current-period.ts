import { useAnswer } from './answer.ts';
import { dailyUsage, statement } from './answers.ts';
import { periodOf } from './month.ts';

/** The service's current month, as far as its answers tell; without any that of this machine. */
export function useCurrentPeriod(): string {
  const { value: billed } = useAnswer(statement.of(undefined));
  const { value: used } = useAnswer(dailyUsage.of(undefined, undefined));
  return billed?.period ?? used?.[0]?.day.slice(0, 7) ?? periodOf(new Date());
}
