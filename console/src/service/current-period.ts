import { useAnswer } from './answer.ts';
import { dailyUsage, statement } from './answers.ts';
import { periodOf } from './month.ts';

/** Returns the service's current month as `YYYY-MM`. Returns the local clock's month until the service has answered. */
export function useCurrentPeriod(): string {
  const { value: billed } = useAnswer(statement.of(undefined));
  const { value: used } = useAnswer(dailyUsage.of(undefined, undefined));
  return billed?.period ?? used?.[0]?.day.slice(0, 7) ?? periodOf(new Date());
}
