declare const instant: unique symbol;

/** Microseconds since 1970-01-01T00:00:00Z, an integer. */
export type Instant = number & { readonly [instant]: true };

export function isInstant(value: unknown): value is Instant {
  return Number.isSafeInteger(value);
}

/** Throws a `RangeError` unless `us` is a whole number in the safe range. */
export function makeInstant(us: number): Instant {
  if (!isInstant(us)) throw new RangeError(`not a whole number of microseconds: ${us}`);
  return us;
}

export interface Clock {
  /** Returns the current time, strictly increasing within a process. */
  now(): Instant;
}

const MAX_DRIFT_US = 2_000;

/** Makes a clock of wall time in microseconds. A monotonic clock adds the digits that `Date.now()` lacks. */
export function makeClock(): Clock {
  const epochUs = { wall: Number.NEGATIVE_INFINITY, monotonicMs: 0 };
  let last = 0;
  const readUs = (): number => {
    const wall = Date.now() * 1000;
    const fine = epochUs.wall + Math.floor((performance.now() - epochUs.monotonicMs) * 1000);
    if (Math.abs(fine - wall) < MAX_DRIFT_US) return fine;
    Object.assign(epochUs, { wall, monotonicMs: performance.now() });
    return wall;
  };
  return {
    now() {
      const read = readUs();
      // If the wall clock was set back, follow it, but never return the same instant twice.
      last = read > last || last - read > MAX_DRIFT_US ? read : last + 1;
      return makeInstant(last);
    },
  };
}

/**
 * Starts to measure time. The result returns the milliseconds since then, by the machine's wall clock or by its
 * monotonic clock, whichever says more: the monotonic clock stops while a machine sleeps, and the wall clock can be set.
 * If the wall clock was set back to before the start, nobody knows how much time has passed: the result is `Infinity`.
 */
export function startStopwatch(): () => number {
  const wall = Date.now();
  const monotonic = performance.now();
  return () => {
    const passed = Date.now() - wall;
    return passed < 0 ? Number.POSITIVE_INFINITY : Math.max(passed, performance.now() - monotonic);
  };
}

/** Orders by creation time, oldest first, then by id. */
export function byAge(a: { created_at: Instant; id: string }, b: { created_at: Instant; id: string }): number {
  return a.created_at - b.created_at || (a.id < b.id ? -1 : 1);
}

export const SECOND_US = 1_000_000;
export const MINUTE_US = 60 * SECOND_US;
export const HOUR_US = 60 * MINUTE_US;
export const DAY_US = 24 * HOUR_US;

/** Formats as RFC 3339 in UTC with microseconds, for example `2026-10-31T23:59:59.999999Z`. */
export function viewInstant(at: Instant): string {
  const micros = ((at % 1000) + 1000) % 1000;
  return new Date((at - micros) / 1000).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}

export function viewOptionalInstant(at: Instant | null): string | null {
  return at === null ? null : viewInstant(at);
}
