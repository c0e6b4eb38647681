/** The stack's clock: real time and an offset. It goes on running after it is set. */
export type StackClock = {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Microseconds added to real time. */
  readonly offsetMicros: () => number;
  /** Sets the time, in microseconds since the epoch; `null` is real time again. */
  readonly set: (micros: number | null) => void;
};

/** Makes a clock that shows real time. */
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

/** Microseconds since the epoch of an RFC 3339 timestamp; digits past the sixth are dropped. */
export function microsOf(timestamp: string): number {
  const fraction = /\.(\d+)/.exec(timestamp)?.[1] ?? '';
  const wholeSecondMs = Date.parse(timestamp.replace(/\.\d+/, ''));
  return wholeSecondMs * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** The RFC 3339 timestamp, to microseconds, of a time in milliseconds since the epoch. */
export function timestampOf(ms: number): string {
  const micros = Math.round(ms * 1000);
  const rest = micros % 1_000_000;
  const seconds = new Date((micros - rest) / 1000).toISOString().slice(0, -5);
  return `${seconds}.${String(rest).padStart(6, '0')}Z`;
}
