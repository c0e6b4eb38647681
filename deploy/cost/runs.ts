const HOURS = 24;
const DAYS = 30;

/** Returns how often a schedule runs in a month of 30 days. Months and days of the week must be `*`. */
export function runsPerMonth(cron: string): number {
  const [minute = '', hour = '', day = ''] = cron.split(' ');
  return values(minute, 60) * values(hour, HOURS) * values(day, DAYS);
}

/** Returns how many values a field has: all, steps, a list or a range. */
function values(field: string, all: number): number {
  const [, step] = /^\*(?:\/(\d+))?$/.exec(field) ?? [];
  if (field.startsWith('*')) return Math.ceil(all / Number(step ?? 1));
  return field.split(',').reduce((sum, part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return sum + last - first + 1;
  }, 0);
}
