import { type Addresses, control } from '../../support/client.ts';
import type { BesetService } from '../beset-service.ts';

/** The clock of a stack and of the separate service process. */
export interface MovedClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Sets the time. The clock continues from there. */
  set(ms: number): Promise<void>;
}

/** The clock shows real time until it is set. */
export function makeMovedClock(stack: Addresses, service: BesetService): MovedClock {
  let offsetMs = 0;
  return {
    now: () => Date.now() + offsetMs,
    async set(ms) {
      await control(stack, 'POST', '/clock', { now: new Date(ms).toISOString() });
      offsetMs = ms - Date.now();
      await service.ask({ clock_offset_us: offsetMs * 1_000 });
    },
  };
}

/** Returns the month as `YYYY-MM`. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Returns the beginning of the next month, in milliseconds since the epoch. */
export function nextMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
