import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessLog } from './process-log.ts';
import { REPOSITORY_ROOT } from './repository.ts';
import { type AskHook, openHooks } from './service-hooks.ts';

/**
 * A shell script that runs the command "$@" as a child. It kills the child when standard input closes, so the child
 * ends even if the stack is killed. It passes SIGTERM on to the child. On SIGUSR1, it kills the child. It exits with
 * the child's status. It closes its own copy of descriptor 3, which is the child's IPC channel.
 */
const WATCHER = `
exec 9<&0
"$@" 9<&- </dev/null &
child=$!
exec 3>&-
{ read -r _ <&9; kill -KILL $child; } >/dev/null 2>&1 &
watch=$!
exec 9<&-
trap 'kill -TERM $child' TERM
trap 'kill -KILL $child' USR1
while :; do wait $child; status=$?; kill -0 $child 2>/dev/null || break; done
kill $watch
exit $status`;

export interface Child {
  readonly name: string;
  /**
   * Resolves when the process has ended. The result is `exit code N`, the name of a signal, or the error that prevented
   * the start. Never rejects.
   */
  readonly ended: Promise<string>;
  tail(): string;
  /** Kills the process, to simulate a crash. */
  crash(): void;
  /** Sends SIGTERM, then SIGKILL after the grace period. Resolves when the process has ended. */
  stop(graceMs: number): Promise<void>;
}

export interface ChildOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly log: ProcessLog;
  /** The environment of the process. By default, this is the environment of the current process. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface NodeChild extends Child {
  readonly ask: AskHook;
}

/** Starts a process in a separate process group, so that Ctrl-C in a terminal does not end it. */
export function startChild(options: ChildOptions): Child {
  return watch(spawnWatched(options, []), options);
}

export function startNode(options: ChildOptions): NodeChild {
  const child = spawnWatched({ ...options, command: [process.execPath, ...options.command] }, ['ipc']);
  return { ...watch(child, options), ask: openHooks(child) };
}

function spawnWatched({ command, env }: ChildOptions, channels: readonly 'ipc'[]): ChildProcess {
  return spawn('sh', ['-c', WATCHER, 'sh', ...command], {
    cwd: REPOSITORY_ROOT,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...channels],
    ...(env !== undefined && { env }),
  });
}

function watch(child: ChildProcess, { name, log }: ChildOptions): Child {
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) log.follow(stream);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : signal));
  });
  return {
    name,
    ended,
    tail: log.tail,
    crash: () => void child.kill('SIGUSR1'),
    async stop(graceMs) {
      child.kill('SIGTERM');
      const force = setTimeout(() => killGroup(child.pid), graceMs);
      await ended;
      clearTimeout(force);
    },
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}
