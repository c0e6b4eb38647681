import type { Log } from '../base/log.ts';

/** What was found of one part that the service needs. */
export type State = 'ok' | 'unavailable';

/** What was found of all of them. */
export interface Probe {
  readonly firestore: State;
  readonly kms: State;
  readonly policy: State;
}

/** A part that can be asked whether it answers: it rejects when it does not. */
interface Part {
  ping(): Promise<void>;
}

/** The parts that are asked. */
export interface Parts {
  readonly store: Part;
  readonly kms: Part;
  readonly policy: Part;
}

/** For so long a probe serves all who ask: anybody may, and the KMS has a quota. */
const KEPT_MS = 10_000;

/** Whether the parts that the service needs answer. */
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

  /** The probe that was begun in the last ten seconds, which may be under way, or else a new one. Never rejects. */
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
