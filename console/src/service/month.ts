/** Returns the UTC month of a time as `YYYY-MM`, the API's format. */
export function periodOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** Returns the month that is `months` later. A negative number goes back. */
export function shiftPeriod(period: string, months: number): string {
  const start = new Date(`${period}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + months);
  return periodOf(start);
}

export function daysOf(period: string): number {
  const next = new Date(`${shiftPeriod(period, 1)}-01T00:00:00Z`);
  return Math.round((next.getTime() - new Date(`${period}-01T00:00:00Z`).getTime()) / 86_400_000);
}

/** Returns the text if it is a month of the form `YYYY-MM`, else `undefined`. */
export function readPeriod(text: string): string | undefined {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined;
}

/** Whether an address names no month, or one that can be read. */
export function isReadableMonth(query: URLSearchParams): boolean {
  const given = query.getAll('period');
  return given.length === 0 || (given.length === 1 && given.every((text) => readPeriod(text) !== undefined));
}
