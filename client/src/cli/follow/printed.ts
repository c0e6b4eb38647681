import type { Place } from './place.ts';

/** How late an event may become visible, compared with the events that were printed before. */
export const BEHIND_US = 10 * 60_000_000;
const MINUTE_US = 60_000_000;

/** Remembers which events of the ten minutes before the last one were printed, to find the ones that become visible late. */
export class Printed {
  readonly #byMinute = new Map<number, Map<string, number>>();

  has({ us, id }: Place): boolean {
    return this.#byMinute.get(minuteOf(us))?.has(id) ?? false;
  }

  add({ us, id }: Place): void {
    const minute = minuteOf(us);
    this.#byMinute.set(minute, (this.#byMinute.get(minute) ?? new Map()).set(id, us));
  }

  /** Forgets the events that are more than ten minutes older. */
  forgetBefore(us: number): void {
    const oldest = minuteOf(us - BEHIND_US) - 1;
    for (const minute of this.#byMinute.keys()) if (minute < oldest) this.#byMinute.delete(minute);
  }

  get size(): number {
    return [...this.#byMinute.values()].reduce((sum, { size }) => sum + size, 0);
  }

  *[Symbol.iterator](): Generator<Place> {
    for (const minute of this.#byMinute.values()) for (const [id, us] of minute) yield { us, id };
  }
}

function minuteOf(us: number): number {
  return Math.floor(us / MINUTE_US);
}
