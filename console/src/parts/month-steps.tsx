import { setQuery, useAddress } from '../address/address.ts';
import { useCurrentPeriod } from '../service/answers.ts';
import { readPeriod, shiftPeriod } from '../service/month.ts';
import { MONTHS, monthName } from '../words.ts';

/**
 * Returns the month that a page shows, as `period`. `asked` is the month in the address, if there is one. Otherwise
 * `period` is the service's current month.
 */
export function useMonth(): { readonly asked: string | undefined; readonly period: string } {
  const { query } = useAddress();
  const current = useCurrentPeriod();
  const asked = readPeriod(query.get('period') ?? '');
  return { asked, period: asked ?? current };
}

/** The month's name between buttons for the previous and the next month. */
export function MonthSteps() {
  const { period } = useMonth();
  const current = useCurrentPeriod();
  const show = (month: string): void => setQuery({ period: month === current ? undefined : month });
  return (
    <div class="row">
      <button type="button" aria-label={MONTHS.previous} onClick={() => show(shiftPeriod(period, -1))}>
        ‹
      </button>
      <strong>{MONTHS.inUtc(monthName(period))}</strong>
      <button
        type="button"
        aria-label={MONTHS.next}
        disabled={period >= current}
        onClick={() => show(shiftPeriod(period, 1))}
      >
        ›
      </button>
    </div>
  );
}
