import { setTimeout as sleep } from 'node:timers/promises';
import { openProcessLog } from '../base/process-log.ts';
import { answers, listens, waitUntilReady } from '../base/readiness.ts';
import { type Hook, type Job, ServiceEnded } from '../base/service-hooks.ts';
import { type FunctionOptions, type ServiceProcess, spawnService } from './service-process.ts';

const DRAIN_MS = 12_000;
const RESTART_PAUSE_MS = 1_000;

/** The service, kept running: when its process dies another one takes its place. */
export interface Service {
  /** Hands over what the stack sets, once; a process that starts later is told by itself. */
  tell(hook: Hook): Promise<void>;
  /** Runs a scheduled function, and resolves to what it answers. Rejects with its error, or when it ends first. */
  run(job: Job): Promise<unknown>;
  /** Has it look anew whether it is ready when it is next asked. */
  forgetReadiness(): Promise<void>;
  /** Waits until the parts behind it answer too. Throws {@link StartError} when they do not. */
  whenReady(): Promise<void>;
  /** Ends the process as a crash would, and resolves when another one answers. */
  crash(): Promise<void>;
  /** Lets requests finish, then ends it for good. */
  stop(): Promise<void>;
}

/** One function in one process. */
export interface ServiceOptions extends Omit<FunctionOptions, 'log'> {
  /** What answers with a 2xx status once the parts behind it do too. */
  readonly readyUrl: string;
  /** Whether its process forgets how ready it was when it is told to; else it tells so for a while. */
  readonly forgets: boolean;
  /** Where its lines are appended, if anywhere. */
  readonly logFile: string | undefined;
  /** What each new process has to be told. */
  state(): readonly Hook[];
  /** Takes one line about a restart. */
  report(line: string): void;
}

/**
 * Starts the service, one function in one process, and waits until it answers, which does not mean that the parts behind it do.
 * Throws {@link StartError} when the first process does not come up.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
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
    const asked = current;
    try {
      await asked.ask(hook);
    } catch (error) {
      if (!(error instanceof ServiceEnded)) throw error;
      await asked.ended;
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
      const asked = current;
      await waitUntilReady(asked, options.readyUrl, async (url) => {
        if (options.forgets) await asked.ask({ forget_readiness: true }).catch(() => undefined);
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
