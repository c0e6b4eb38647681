import { useAnswer } from './answer.ts';
import { dailyUsage, statement } from './answers.ts';
import { periodOf } from './month.ts';

/**
 * Returns the service's current month as `YYYY-MM`. Until the service has answered, returns the month of the local
 * clock.
 */
export function useCurrentPeriod(): string {
  const { value: billed } = useAnswer(statement.of(undefined));
  const { value: used } = useAnswer(dailyUsage.of(undefined, undefined));
  return billed?.period ?? used?.[0]?.day.slice(0, 7) ?? periodOf(new Date());
}
