import { type Clock, type Instant, makeInstant } from '../../shared/base/clock.ts';

export interface MovableClock extends Clock {
  /** Sets the clock's offset from the machine's time, in microseconds. The clock keeps running. */
  move(offsetUs: number): void;
}

/** Wraps a clock. Like other clocks, the result never returns the same instant twice. */
export function makeMovableClock(clock: Clock): MovableClock {
  let offset = 0;
  return {
    now: (): Instant => makeInstant(clock.now() + offset),
    move(offsetUs) {
      offset = offsetUs;
    },
  };
}
