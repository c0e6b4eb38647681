import type { Plugin } from 'vitest/config';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { endChildrenWithThisProcess } from './end-children.ts';

/**
 * A run ends after this time without progress. It is longer than the slowest hook, and longer than a test can run past
 * its timeout.
 */
const SILENCE_MS = 5 * 60_000;

/**
 * Fails a test run and ends its workers if no test and no file has started or ended for a long time. Vitest’s own
 * timeouts cannot end a worker that is in an endless loop.
 */
class Watchdog implements Reporter {
  readonly #silenceMs: number;
  readonly #running = new Set<string>();
  /** The timeouts of the running tests. */
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

  /**
   * Makes the run fail if the process does not exit, for example because a stack does not stop. Otherwise, Vitest would
   * report success.
   */
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

/** Ends a test run that hangs, and makes every process of a run end when the run ends. */
export function watchdog(silenceMs = SILENCE_MS): Plugin {
  const reporter = new Watchdog(silenceMs);
  return {
    name: 'watchdog',
    configureVitest({ vitest }) {
      endChildrenWithThisProcess();
      // Vitest calls this hook once for each project.
      if (!vitest.config.reporters.includes(reporter)) vitest.config.reporters.push(reporter);
    },
  };
}
