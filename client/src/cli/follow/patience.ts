import { setTimeout as sleep } from 'node:timers/promises';
import { EncryptionServiceError } from '../../errors.ts';
import { explain } from '../explain.ts';
import { EXIT, Failure } from '../failure.ts';
import { tell } from '../terminal.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Waits after failures that pass by themselves, longer each time, and says so on standard error. */
export class Patience {
  readonly #stopped: AbortSignal;
  #failures = 0;

  constructor(stopped: AbortSignal) {
    this.#stopped = stopped;
  }

  /** Runs a task until it succeeds. Throws a {@link Failure} if the service refuses it. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await task();
        this.#failures = 0;
        return result;
      } catch (error) {
        this.#stopped.throwIfAborted();
        if (!passes(error)) throw refusal(error);
        const { code, message } = explain(error);
        const ms = Math.min(FIRST_MS * 2 ** this.#failures, LONGEST_MS) * (0.5 + Math.random() / 2);
        this.#failures += 1;
        tell(`esk: ${code}: ${message}; trying again in ${Math.ceil(ms / 1000)} s`);
        await sleep(ms, undefined, { signal: this.#stopped });
      }
    }
  }
}

/** Whether the failure may pass by itself: the network is broken, or the answer was `429` or any `5xx`. */
function passes(error: unknown): boolean {
  const status = statusOf(error);
  if (status === undefined) return explain(error).exitCode === EXIT.unreachable;
  return status === 429 || status >= 500 || status < 300;
}

/** Returns the failure of a refused request. A proxy may have refused it, in a format that is not the service's. */
function refusal(error: unknown): unknown {
  const status = statusOf(error);
  if (status === undefined) return error;
  const { code, message, requestId } = explain(error);
  return new Failure(status === 401 ? EXIT.credential : EXIT.refused, code, message, requestId);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof EncryptionServiceError ? error.status : undefined;
}
