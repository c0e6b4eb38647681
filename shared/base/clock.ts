declare const instant: unique symbol;

/** A point in time: microseconds since 1970-01-01T00:00:00Z, an integer. */
export type Instant = number & { readonly [instant]: true };

/** Whether `value` is an instant that a 64-bit float holds exactly. */
export function isInstant(value: unknown): value is Instant {
  return Number.isSafeInteger(value);
}

/** The instant `us` microseconds after the epoch. Throws a `RangeError` for anything but a safe integer. */
export function makeInstant(us: number): Instant {
  if (!isInstant(us)) throw new RangeError(`not an instant: ${us}`);
  return us;
}

/** The service's only source of time. */
export interface Clock {
  /** The present, strictly later at every call in one process, so that events of one process keep their order. */
  now(): Instant;
}

/** A clock that can be moved. */
export interface MovableClock extends Clock {
  /** Sets what is added to the machine's time, in microseconds. From then on the clock runs from there. */
  move(offsetUs: number): void;
}

/** How far the fine reading may stray from the machine's wall clock before it is set again, in microseconds. */
const STRAY_US = 2_000;

/** The machine's clock: its wall time, with the microseconds of the monotonic clock between two of its milliseconds. */
export function makeClock(): MovableClock {
  const epochUs = { wall: Number.NEGATIVE_INFINITY, monotonicMs: 0 };
  let last = 0;
  const readUs = (): number => {
    const wall = Date.now() * 1000;
    const fine = epochUs.wall + Math.floor((performance.now() - epochUs.monotonicMs) * 1000);
    if (Math.abs(fine - wall) < STRAY_US) return fine;
    Object.assign(epochUs, { wall, monotonicMs: performance.now() });
    return wall;
  };
  let offset = 0;
  return {
    now() {
      const read = readUs() + offset;
      // A clock that was set back must be followed; a clock that stands still must not repeat itself.
      last = read > last || last - read > STRAY_US ? read : last + 1;
      return makeInstant(last);
    },
    move(offsetUs) {
      offset = offsetUs;
      last = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The machine's time so many milliseconds from now, as gRPC takes its deadlines. */
export function deadlineIn(ms: number): number {
  return Date.now() + ms;
}

export const SECOND_US = 1_000_000;
export const MINUTE_US = 60 * SECOND_US;
export const HOUR_US = 60 * MINUTE_US;
export const DAY_US = 24 * HOUR_US;

/** RFC 3339 in UTC with microseconds, for example `2026-10-31T23:59:59.999999Z`. */
export function viewInstant(at: Instant): string {
  const micros = ((at % 1000) + 1000) % 1000;
  return new Date((at - micros) / 1000).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}

/** {@link viewInstant}, with `null` kept. */
export function viewOptionalInstant(at: Instant | null): string | null {
  return at === null ? null : viewInstant(at);
}
