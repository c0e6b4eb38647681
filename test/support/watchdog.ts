import type { Plugin } from 'vitest/config';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { endChildrenWithThisProcess } from './end-children.ts';

/** No hook takes as long, nor a test beyond its own timeout. */
const SILENCE_MS = 5 * 60_000;

/**
 * Ends a run with a failure when nothing has begun or ended for that long, and its workers with it. A worker in an
 * endless loop runs into no timeout of Vitest's, which would wait for ever.
 */
class Watchdog implements Reporter {
  readonly #silenceMs: number;
  readonly #running = new Set<string>();
  /** The timeouts of the tests that run. */
  readonly #timeouts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs;
  }

  onTestModuleQueued({ relativeModuleId }: TestModule): void {
    this.#running.add(relativeModuleId);
    this.#restart();
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#running.delete(relativeModuleId);
    this.#restart();
  }

  onTestCaseReady({ id, options }: TestCase): void {
    this.#timeouts.set(id, options.timeout ?? 0);
    this.#restart();
  }

  onTestCaseResult({ id }: TestCase): void {
    this.#timeouts.delete(id);
    this.#restart();
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  /** A stack that does not stop, for example: Vitest ends the process, as if nothing were wrong. */
  onProcessTimeout(): void {
    process.exitCode = 1;
  }

  #restart(): void {
    clearTimeout(this.#timer);
    const silenceMs = this.#silenceMs + Math.max(0, ...this.#timeouts.values());
    this.#timer = setTimeout(() => {
      const files = [...this.#running].join(', ') || 'after the last file';
      process.stderr.write(`the run hangs: nothing has begun or ended for ${silenceMs / 1000} s: ${files}\n`);
      process.exit(1);
    }, silenceMs);
  }
}

/** Ends the run where it hangs, and every process of it however it ends. */
export function watchdog(silenceMs = SILENCE_MS): Plugin {
  const reporter = new Watchdog(silenceMs);
  return {
    name: 'watchdog',
    configureVitest({ vitest }) {
      endChildrenWithThisProcess();
      // Called for each project.
      if (!vitest.config.reporters.includes(reporter)) vitest.config.reporters.push(reporter);
    },
  };
}
