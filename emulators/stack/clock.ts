/** A clock that shows real time plus an offset. It keeps running after it is set. */
export type StackClock = {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns the offset from real time, in microseconds. */
  readonly offsetMicros: () => number;
  /** Sets the clock to a time, in microseconds since the epoch. `null` returns to real time. */
  readonly set: (micros: number | null) => void;
};

export function makeClock(): StackClock {
  let offsetMicros = 0;
  return {
    now: () => Date.now() + offsetMicros / 1000,
    offsetMicros: () => offsetMicros,
    set: (micros) => {
      offsetMicros = micros === null ? 0 : micros - Date.now() * 1000;
    },
  };
}

/**
 * Parses an RFC 3339 timestamp. Returns microseconds since the epoch. Ignores all digits after the sixth decimal place.
 */
export function microsOf(timestamp: string): number {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? '';
  const wholeSecondMs = Date.parse(timestamp.replace(/\.\d+/, ''));
  return wholeSecondMs * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Returns an RFC 3339 timestamp with microseconds. `ms` is in milliseconds since the epoch. */
export function timestampOf(ms: number): string {
  const micros = Math.round(ms * 1000);
  const rest = micros % 1_000_000;
  const seconds = new Date((micros - rest) / 1000).toISOString().slice(0, -5);
  return `${seconds}.${String(rest).padStart(6, '0')}Z`;
}
