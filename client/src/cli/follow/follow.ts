import type { EncryptionService } from '../../service.ts';
import type { AuditEvent } from '../../types.ts';
import { isAfter, type Place, placeOf, viewTime } from './place.ts';
import { BEHIND_US } from './printed.ts';
import { PAGE, type ReadPeriod, readWindow } from './read-window.ts';
import type { FollowState } from './state-file.ts';

/** Events are printed this late, because the service may store an event seconds after its `ts`. */
const HELD_BACK_US = 2 * 60_000_000;
/** How often the follower looks for events that became visible late. */
const LOOK_BEHIND_MS = 60_000;
const SECOND_US = 1_000_000;

/** Prints a tenant's audit events in the order of `ts`, then `id`. */
export class Follower {
  readonly #read: ReadPeriod;
  readonly #clock: ServiceClock;
  readonly #state: FollowState;
  readonly #print: (line: string) => Promise<void>;
  readonly #signal: AbortSignal;
  #lookedAt: { readonly ms: number; readonly us: number } | undefined;

  constructor(
    service: EncryptionService,
    clock: ServiceClock,
    state: FollowState,
    print: (line: string) => Promise<void>,
    signal: AbortSignal,
  ) {
    this.#read = readerOf(service, signal);
    this.#clock = clock;
    this.#state = state;
    this.#print = print;
    this.#signal = signal;
  }

  /** Prints what has become old enough since the last call. It can be called again after an error. */
  async catchUp(): Promise<void> {
    await this.#lookBehind();
    for (;;) {
      const from = this.#state.place.us;
      const newest = await this.#read(from, Number.POSITIVE_INFINITY, PAGE);
      const until = this.#clock.us - HELD_BACK_US;
      if (newest.length < PAGE) await this.#printAll(newest.reverse(), until);
      else for await (const event of readWindow(this.#read, from, until)) await this.#printNew(event);
      this.#state.moveTo(until);
      if (this.#clock.us - HELD_BACK_US - until < SECOND_US) break;
    }
    await this.#state.settle();
  }

  /** Prints the events before the place that became visible after the events at the place. */
  async #lookBehind(): Promise<void> {
    const last = this.#lookedAt;
    const now = { ms: performance.now(), us: this.#clock.us };
    const isDue = last === undefined || now.ms - last.ms >= LOOK_BEHIND_MS || now.us - last.us >= LOOK_BEHIND_MS * 1000;
    if (!isDue) return;
    const { start, place } = this.#state;
    const from = Math.max(start.us, place.us - BEHIND_US);
    for await (const event of readWindow(this.#read, from, place.us)) await this.#printNew(event);
    this.#lookedAt = now;
  }

  async #printAll(events: readonly AuditEvent[], until: number): Promise<void> {
    for (const event of events) if (placeOf(event).us < until) await this.#printNew(event);
  }

  async #printNew(event: AuditEvent): Promise<void> {
    const place = placeOf(event);
    if (this.#state.printed.has(place) || !isAfter(place, this.#state.start)) return;
    this.#signal.throwIfAborted();
    await this.#print(`${JSON.stringify(event)}\n`);
    this.#state.add(place);
  }
}

/** Returns the place after all events that are visible now. */
export async function findEnd(service: EncryptionService, clock: ServiceClock, signal: AbortSignal): Promise<Place> {
  const [newest] = await takeFrom(service.readAudit({ limit: 1 }, { signal }), 1);
  const now = { us: clock.us, id: '' };
  const last = newest === undefined ? now : placeOf(newest);
  // The clock has whole seconds. Ignore an event of another time, such as one from a process whose clock is wrong.
  return isAfter(last, now) && last.us < now.us + SECOND_US ? last : now;
}

function readerOf(service: EncryptionService, signal: AbortSignal): ReadPeriod {
  return (sinceUs, untilUs, most) => {
    const until = Number.isFinite(untilUs) ? { until: viewTime(untilUs) } : {};
    return takeFrom(service.readAudit({ since: viewTime(sinceUs), ...until, limit: PAGE }, { signal }), most);
  };
}

/** Takes events. Does not ask for the page after the last of them. */
async function takeFrom(events: AsyncGenerator<AuditEvent, void>, most: number): Promise<AuditEvent[]> {
  const taken: AuditEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length >= most) break;
  }
  return taken;
}

/** The time of the service, from the `Date` header of its latest response. */
export class ServiceClock {
  #us = Date.now() * 1000;

  /** Microseconds since the epoch. The header has whole seconds. */
  get us(): number {
    return this.#us;
  }

  note(response: Response): void {
    const ms = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(ms)) this.#us = ms * 1000;
  }
}
