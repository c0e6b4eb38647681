import type { Log } from '../base/log.ts';

export type State = 'ok' | 'unavailable';

export interface Probe {
  readonly firestore: State;
  readonly kms: State;
  readonly policy: State;
}

interface Part {
  ping(): Promise<void>;
}

export interface Parts {
  readonly store: Part;
  readonly kms: Part;
  readonly policy: Part;
}

/** The result of a check is reused for this long, because anyone may call the route and the KMS has a quota. */
const KEPT_MS = 10_000;

/** Checks whether the dependencies of the service answer. */
export class Readiness {
  readonly #parts: Parts;
  readonly #log: Log;
  readonly #monotonicMs: () => number;
  #newest: { readonly probe: Promise<Probe>; readonly at: number } | undefined;

  constructor(parts: Parts, log: Log, monotonicMs: () => number = () => performance.now()) {
    this.#parts = parts;
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  /** Returns the results of the checks that began in the last ten seconds, or of new checks. Never rejects. */
  probe(): Promise<Probe> {
    const now = this.#monotonicMs();
    if (this.#newest === undefined || now - this.#newest.at >= KEPT_MS) this.#newest = { probe: this.#ask(), at: now };
    return this.#newest.probe;
  }

  async #ask(): Promise<Probe> {
    const { store, kms, policy } = this.#parts;
    const [ofFirestore, ofKms, ofPolicy] = await Promise.all([
      this.#stateOf('firestore', store),
      this.#stateOf('kms', kms),
      this.#stateOf('policy', policy),
    ]);
    return { firestore: ofFirestore, kms: ofKms, policy: ofPolicy };
  }

  async #stateOf(what: keyof Probe, part: Part): Promise<State> {
    try {
      await part.ping();
      return 'ok';
    } catch (error) {
      this.#log.write('readiness check failed', { part: what }, error);
      return 'unavailable';
    }
  }
}
