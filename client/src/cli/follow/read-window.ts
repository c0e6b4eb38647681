import type { AuditEvent } from '../../types.ts';
import { placeOf } from './place.ts';

/** The largest page of the service. */
export const PAGE = 1000;

/** Reads the events of a period, newest first: at most `most`. */
export type ReadPeriod = (sinceUs: number, untilUs: number, most: number) => Promise<AuditEvent[]>;

/**
 * Yields the events of a period, oldest first. The service returns the newest first, so this function reads parts of
 * the period that have less than a page of events. Needs the memory of one page.
 */
export async function* readWindow(
  read: ReadPeriod,
  sinceUs: number,
  untilUs: number,
): AsyncGenerator<AuditEvent, void> {
  let length = untilUs - sinceUs;
  for (let from = sinceUs; from < untilUs; ) {
    const to = Math.min(from + length, untilUs);
    // A microsecond cannot be divided.
    const isShortest = to - from === 1;
    const events = await read(from, to, isShortest ? Number.POSITIVE_INFINITY : PAGE);
    const oldest = events.at(-1);
    if (events.length >= PAGE && !isShortest && oldest !== undefined) {
      // Earlier events of the period are missing in the page.
      const missing = placeOf(oldest).us - from;
      length = Math.max(1, Math.min(missing, Math.floor((to - from) / 2)));
      continue;
    }
    yield* events.reverse();
    from = to;
    if (events.length < PAGE / 2) length *= 2;
  }
}
