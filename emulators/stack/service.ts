import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  answers,
  listens,
  type NodeChild,
  openProcessLog,
  type ProcessLog,
  startNode,
  waitUntilReady,
} from '../base/child-process.ts';
import { REPOSITORY_ROOT, resolvePackage } from '../base/repository.ts';
import { type Hook, type Job, ServiceEnded } from '../base/service-hooks.ts';

interface FunctionOptions {
  readonly target: string;
  /** The code to run: a file or a folder in the repository. */
  readonly source: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  readonly preloads?: readonly string[];
  readonly log: ProcessLog;
}

function spawnService(options: FunctionOptions): NodeChild {
  const { target, source, port, env, preloads = [] } = options;
  const framework = join(dirname(resolvePackage('@google-cloud/functions-framework')), 'main.js');
  return startNode({
    name: `the function ${target}`,
    command: [
      // `--import` expects a URL. In a path, it would misread characters such as `#` and `%`.
      ...[join(REPOSITORY_ROOT, 'functions/preload/all.ts'), ...preloads].map(
        (module) => `--import=${pathToFileURL(module)}`,
      ),
      framework,
      `--source=${source}`,
      `--target=${target}`,
      `--port=${port}`,
    ],
    env,
    log: options.log,
  });
}

const DRAIN_MS = 12_000;
const RESTART_PAUSE_MS = 1_000;

/** A supervised service: when its process ends, a new process replaces it. */
export interface Service {
  /**
   * Sends a message to the current process, for example a change of the clock. A new process gets its messages from
   * `state` instead.
   */
  tell(hook: Hook): Promise<void>;
  /** Runs a scheduled function and returns its answer. Rejects if the function fails, or if the process ends first. */
  run(job: Job): Promise<unknown>;
  /** Clears the cached readiness, so that the next readiness check tests the dependencies again. */
  forgetReadiness(): Promise<void>;
  /** Waits until the service and its dependencies are ready. Throws {@link StartError} if they do not become ready. */
  whenReady(): Promise<void>;
  /** Kills the process. Resolves when a new process answers. */
  crash(): Promise<void>;
  /** Waits for requests in progress, then stops the process. No new process replaces it. */
  stop(): Promise<void>;
}

export interface ServiceOptions extends Omit<FunctionOptions, 'log'> {
  /** The URL that answers with 2xx when the dependencies are ready. */
  readonly readyUrl: string;
  /**
   * Whether the message `forget_readiness` clears the cached readiness. If not, the caller waits until the cached
   * readiness expires.
   */
  readonly forgets: boolean;
  /** The file for the process's output, if any. */
  readonly logFile: string | undefined;
  /** Returns the messages that each new process must get. */
  state(): readonly Hook[];
  /** Receives one line for each restart. */
  report(line: string): void;
}

/**
 * Starts the service and waits until its process answers. Does not wait for its dependencies. Throws {@link StartError}
 * if the process does not start.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const log = openProcessLog(options.logFile);
  const spawn = () => spawnService({ ...options, log });
  let stopping = false;
  let current = spawn();
  let up = bringUp(current);

  async function bringUp(service: NodeChild): Promise<void> {
    await waitUntilReady(service, `http://127.0.0.1:${options.port}/`, listens);
    for (const hook of options.state()) await service.ask(hook);
  }
  async function restart(): Promise<void> {
    while (!stopping) {
      current = spawn();
      try {
        return await bringUp(current);
      } catch (error) {
        await current.stop(0);
        if (!stopping) options.report(`${current.name} failed to restart; trying again: ${String(error)}`);
        await sleep(RESTART_PAUSE_MS);
      }
    }
  }
  function watch(): void {
    current.ended.then((how) => {
      if (stopping) return;
      options.report(`${current.name} exited (${how}); restarting it`);
      up = restart().then(watch);
    });
  }
  async function tell(hook: Hook): Promise<void> {
    await up;
    const running = current;
    try {
      await running.ask(hook);
    } catch (error) {
      if (!(error instanceof ServiceEnded)) throw error;
      await running.ended;
      await up;
    }
  }

  try {
    await up;
  } catch (error) {
    stopping = true;
    await current.stop(0);
    throw error;
  }
  watch();

  return {
    tell,
    async run(job) {
      await up;
      return current.ask({ run: job });
    },
    forgetReadiness: () => tell({ forget_readiness: true }),
    async whenReady() {
      await up;
      const running = current;
      await waitUntilReady(running, options.readyUrl, async (url) => {
        if (options.forgets) await running.ask({ forget_readiness: true }).catch(() => undefined);
        return answers(url);
      });
    },
    async crash() {
      await up;
      const crashed = current;
      crashed.crash();
      await crashed.ended;
      await up;
    },
    async stop() {
      stopping = true;
      await current.stop(DRAIN_MS);
      log.close();
    },
  };
}
