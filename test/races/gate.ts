import { setTimeout as pause } from 'node:timers/promises';
import type { CallFault } from '../reliability/failing-proxy.ts';

const COMMIT = /\/Commit$/;
/** How long to wait for a commit. A request may need none, or may first wait for a lock that another one has. */
const PATIENCE_MS = 500;

/** Holds the commits of a process while it is closed. */
export class Gate {
  #passage = Promise.withResolvers<void>();
  #held = Promise.withResolvers<void>();

  constructor() {
    this.open();
  }

  /** Tells a proxy in front of Firestore what to do with a call. */
  readonly decide = async (path: string): Promise<CallFault> => {
    if (COMMIT.test(path)) {
      this.#held.resolve();
      await this.#passage.promise;
    }
    return {};
  };

  close(): void {
    this.#passage = Promise.withResolvers();
    this.#held = Promise.withResolvers();
  }

  /** Lets the held commits and all later ones pass. */
  open(): void {
    this.#passage.resolve();
  }

  /** Resolves when a commit is held, or when the request is answered without one. */
  async holds(answered: Promise<unknown>): Promise<void> {
    await Promise.race([this.#held.promise, answered, pause(PATIENCE_MS)]);
  }
}
