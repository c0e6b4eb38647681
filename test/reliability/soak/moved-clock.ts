import { type Addresses, control } from '../../support/client.ts';
import type { ProxiedService } from '../proxied-service.ts';

/** The clock of a stack and of a process of the service that uses the stack. */
export interface MovedClock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Sets the clock. It keeps running afterwards. */
  set(ms: number): Promise<void>;
}

/** Makes a clock that shows real time at first. */
export function makeMovedClock(stack: Addresses, service: ProxiedService): MovedClock {
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

/** Returns the month of a time, as `YYYY-MM`. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** Returns the start of the month after a time. */
export function nextMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
