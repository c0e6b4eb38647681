import { ApiError } from '../errors.ts';

const MAX_IN_FLIGHT = { 'api key': 256, user: 256, tenant: 384 } as const;

export type Sender = keyof typeof MAX_IN_FLIGHT;

/** Limits the requests in flight of each sender, so that one sender cannot use a process's whole capacity. */
export class InFlightQuotas {
  readonly #inFlight = new Map<string, number>();

  begin(): InFlight {
    return new InFlight(this.#inFlight);
  }
}

export class InFlight implements Disposable {
  readonly #inFlight: Map<string, number>;
  readonly #senders: string[] = [];

  constructor(inFlight: Map<string, number>) {
    this.#inFlight = inFlight;
  }

  /** Whether this request already counts against this sender. */
  isOf(id: string): boolean {
    return this.#senders.includes(id);
  }

  /** Counts this request against a sender's quota, only once. Throws `unavailable` when the quota is used up. */
  takeFor(sender: Sender, id: string): void {
    if (this.isOf(id)) return;
    const others = this.#inFlight.get(id) ?? 0;
    if (others >= MAX_IN_FLIGHT[sender])
      throw new ApiError('unavailable', `too many requests in progress for this ${sender}`);
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
