import type { AnchorConfigRecord } from './records.ts';

/** The instant some whole months from another, both in seconds; a day that the month lacks becomes its last. */
export function addMonths(seconds: number, months: number): number {
  const from = new Date(seconds * 1000);
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const day = Math.min(from.getUTCDate(), daysInMonth(first));
  const timeOfDay = seconds % 86_400;
  return first / 1000 + (day - 1) * 86_400 + timeOfDay;
}

/** The first instant of a monthly cycle that is later than `after`. */
export function nextCycle(anchor: number, after: number): number {
  let months = monthsBetween(anchor, after) - 1;
  while (addMonths(anchor, months) <= after) {
    months += 1;
  }
  return addMonths(anchor, months);
}

/** The first instant after `created` that a `billing_cycle_anchor_config` describes. */
export function anchorAfter(created: number, config: AnchorConfigRecord): number {
  const from = new Date(created * 1000);
  for (let offset = 0; ; offset += 1) {
    const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + offset, 1);
    const anchor = new Date(first).setUTCHours(
      config.hour ?? from.getUTCHours(),
      config.minute ?? from.getUTCMinutes(),
      config.second ?? from.getUTCSeconds(),
    );
    const seconds = anchor / 1000 + (Math.min(config.day_of_month, daysInMonth(first)) - 1) * 86_400;
    if (seconds > created) {
      return seconds;
    }
  }
}

/** The UTC month of an instant, as `YYYY-MM`. */
export function monthOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 7);
}

function daysInMonth(milliseconds: number): number {
  const date = new Date(milliseconds);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

function monthsBetween(from: number, to: number): number {
  const [a, b] = [new Date(from * 1000), new Date(to * 1000)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}
