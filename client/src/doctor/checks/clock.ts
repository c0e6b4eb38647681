import type { Examination } from '../examination.ts';
import { ok, skipped, type Verdict, warn } from '../finding.ts';

const MOST_SKEW_S = 30;

/** Checks whether the clocks of this machine and the service agree. */
export async function checkClock({ live }: Examination): Promise<Verdict> {
  const outcome = await live();
  const dated = 'value' in outcome ? outcome.value.dated : undefined;
  const date = Date.parse(dated?.date ?? '');
  if (dated === undefined || Number.isNaN(date))
    return skipped('The time of the service is not visible in its answer.');
  // The `Date` header is rounded down to whole seconds. Adding half a second corrects this on average.
  const skewS = Math.round((date + 500 - (dated.sentAt + dated.receivedAt) / 2) / 1000);
  if (Math.abs(skewS) <= MOST_SKEW_S) return ok('The clocks of this machine and of the service agree.');
  return warn(
    `The clock of this machine is ${duration(Math.abs(skewS))} ${skewS > 0 ? 'behind' : 'ahead of'} that of the service.`,
    'Set the clock of this machine. With a wrong clock, sign-in and sessions fail, and certificates seem invalid.',
  );
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}
