import { setTimeout as sleep } from 'node:timers/promises';
import { openProcessLog } from './process-log.ts';
import { answers, listens, waitUntilReady } from './readiness.ts';
import { type Hook, type Job, ServiceEnded } from './service-hooks.ts';
import { type ServiceProcess, spawnService } from './service-process.ts';

const drainMs = 12_000;
const restartPauseMs = 1_000;

/** The service, kept running: when its process dies another one takes its place. */
export type Service = {
  /** Hands over what the stack sets, once; a process that starts later is told by itself. */
  readonly tell: (hook: Hook) => Promise<void>;
  /** Runs a scheduled function, and resolves to what it answers. Rejects with its error, or when it ends first. */
  readonly run: (job: Job) => Promise<unknown>;
  /** Waits until the parts behind it answer too. Throws {@link StartError} when they do not. */
  readonly whenReady: () => Promise<void>;
  /** Ends the process as a crash would, and resolves when another one answers. */
  readonly crash: () => Promise<void>;
  /** Lets requests finish, then ends it for good. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts the service, one function in one process, and waits until it answers, which does not mean that the parts behind it do.
 * `state` is what each new process has to be told; `report` takes one line about a restart.
 * Throws {@link StartError} when the first process does not come up.
 */
export async function startService(options: {
  /** The function, and where its code is: a file or a folder in the repository. */
  target: string;
  source: string;
  port: number;
  /** What answers with a 2xx status once the parts behind it do too. */
  readyUrl: string;
  env: NodeJS.ProcessEnv;
  /** Where its lines are appended, if anywhere. */
  logFile: string | undefined;
  state: () => readonly Hook[];
  report: (line: string) => void;
}): Promise<Service> {
  const log = openProcessLog(options.logFile);
  const spawn = (): ServiceProcess => spawnService({ ...options, log });
  let stopping = false;
  let current = spawn();
  let up = bringUp(current);

  async function bringUp(service: ServiceProcess): Promise<void> {
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
        if (!stopping) options.report(`${current.name} did not start again, trying on: ${String(error)}`);
        await sleep(restartPauseMs);
      }
    }
  }
  function watch(): void {
    current.ended.then((how) => {
      if (stopping) return;
      options.report(`${current.name} ended (${how}); starting it again`);
      up = restart().then(watch);
    });
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
    tell: async (hook) => {
      await up;
      const asked = current;
      try {
        await asked.ask(hook);
      } catch (error) {
        if (!(error instanceof ServiceEnded)) throw error;
        await asked.ended;
        await up;
      }
    },
    run: async (job) => {
      await up;
      return current.ask({ run: job });
    },
    whenReady: async () => {
      await up;
      const asked = current;
      await waitUntilReady(asked, options.readyUrl, async (url) => {
        // A service tells for a while what it found before.
        await asked.ask({ forget_readiness: true }).catch(() => undefined);
        return answers(url);
      });
    },
    crash: async () => {
      await up;
      const crashed = current;
      crashed.crash();
      await crashed.ended;
      await up;
    },
    stop: async () => {
      stopping = true;
      await current.stop(drainMs);
      log.close();
    },
  };
}
