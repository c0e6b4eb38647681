import { type Clock, type Instant, makeInstant } from '../../shared/base/clock.ts';

/** A clock that can be moved. */
export interface MovableClock extends Clock {
  /** Sets what is added to the machine's time, in microseconds. From then on the clock runs from there. */
  move(offsetUs: number): void;
}

/** A movable clock over one that never repeats itself. */
export function makeMovableClock(clock: Clock): MovableClock {
  let offset = 0;
  return {
    now: (): Instant => makeInstant(clock.now() + offset),
    move(offsetUs) {
      offset = offsetUs;
    },
  };
}
