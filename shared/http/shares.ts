import { ApiError } from '../errors.ts';

/** Of the requests that a process has in flight, so many may be one sender's. */
const MOST = { 'api key': 256, user: 256, tenant: 384 } as const;

/** Who sends requests, as far as each has a share of the places. */
export type Sender = keyof typeof MOST;

/** Whose requests are in flight in a process: however many somebody sends, there are places left for others. */
export class Shares {
  readonly #inFlight = new Map<string, number>();

  /** What one request takes of them. */
  begin(): Share {
    return new Share(this.#inFlight);
  }
}

/** Who is known to have sent a request that is in flight. At its end it has to be disposed of. */
export class Share implements Disposable {
  readonly #inFlight: Map<string, number>;
  readonly #senders: string[] = [];

  constructor(inFlight: Map<string, number>) {
    this.#inFlight = inFlight;
  }

  /** Whether the request is known to be this sender's. */
  isOf(id: string): boolean {
    return this.#senders.includes(id);
  }

  /** Counts the request as this sender's, once. Throws `unavailable` when too many of theirs are in flight. */
  takeFor(sender: Sender, id: string): void {
    if (this.isOf(id)) return;
    const others = this.#inFlight.get(id) ?? 0;
    if (others >= MOST[sender]) throw new ApiError('unavailable', `too many requests of this ${sender} in flight`);
    this.#inFlight.set(id, others + 1);
    this.#senders.push(id);
  }

  [Symbol.dispose](): void {
    for (const id of this.#senders.splice(0)) {
      const others = (this.#inFlight.get(id) ?? 1) - 1;
      if (others > 0) this.#inFlight.set(id, others);
      else this.#inFlight.delete(id);
    }
  }
}
