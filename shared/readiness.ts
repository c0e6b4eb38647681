import type { Policy } from './auth/policy.ts';
import type { Log } from './base/log.ts';
import type { Kms } from './crypto/kms.ts';
import type { Store } from './store/store.ts';

/** What was found of one part that the service needs. */
export type State = 'ok' | 'unavailable';

/** What was found of all of them. */
export interface Probe {
  readonly firestore: State;
  readonly kms: State;
  readonly policy: State;
}

/** The parts that are asked. */
interface Parts {
  readonly store: Pick<Store, 'ping'>;
  readonly kms: Pick<Kms, 'ping'>;
  readonly policy: Pick<Policy, 'ping'>;
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

  /** Whoever asks from now on gets a new probe. */
  forget(): void {
    this.#newest = undefined;
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

  async #stateOf(what: keyof Probe, part: { ping(): Promise<void> }): Promise<State> {
    try {
      await part.ping();
      return 'ok';
    } catch (error) {
      this.#log.write('WARNING', `not ready: ${what} does not answer`, {}, error);
      return 'unavailable';
    }
  }
}
