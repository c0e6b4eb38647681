/** A moment on both clocks, in milliseconds. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export function thisMoment(): Moment {
  return { wall: Date.now(), monotonic: performance.now() };
}

/**
 * Whether a lifetime is over by either clock: while a machine is suspended, the monotonic clock may stop. It is also over
 * if the wall clock was set back to before its start.
 */
export function isOver(start: Moment, lifetimeMs: number): boolean {
  const { wall, monotonic } = thisMoment();
  return wall < start.wall || wall - start.wall >= lifetimeMs || monotonic - start.monotonic >= lifetimeMs;
}
