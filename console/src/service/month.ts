/** The UTC month of a time, as the API's `period`. */
export function periodOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

/** The month this many months later, or earlier when negative. */
export function shiftPeriod(period: string, months: number): string {
  const start = new Date(`${period}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + months);
  return periodOf(start);
}

/** How many days a month has. */
export function daysOf(period: string): number {
  const next = new Date(`${shiftPeriod(period, 1)}-01T00:00:00Z`);
  return Math.round((next.getTime() - new Date(`${period}-01T00:00:00Z`).getTime()) / 86_400_000);
}

/** A month as an address has it, `undefined` for anything else. */
export function readPeriod(text: string): string | undefined {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined;
}
