import { type ChildProcess, spawn } from 'node:child_process';
import type { ProcessLog } from './process-log.ts';
import { repositoryRoot } from './repository.ts';
import { type AskHook, openHooks } from './service-hooks.ts';

/**
 * Runs "$@" and kills it when standard input closes: the stack holds the other end, so that not even its own SIGKILL
 * leaves the child behind. A SIGTERM is passed on, a SIGUSR1 kills the child, and the child's status is given back.
 * Descriptor 3 is the child's IPC channel where it has one (Node puts it there), and nobody else's.
 */
const watcher = `
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

/** A running part of the stack that is a process of its own. */
export type Child = {
  readonly name: string;
  /** Settles when the process has ended, with how it ended. Never rejects. */
  readonly ended: Promise<string>;
  /** The last lines it printed. */
  readonly tail: () => string;
  /** Ends it as a crash would. `ended` settles when it has. */
  readonly crash: () => void;
  /** Ends it with SIGTERM, or with SIGKILL after the grace. Resolves when it has ended. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** What to run, and where its output goes. */
export type ChildOptions = {
  readonly name: string;
  readonly command: readonly string[];
  readonly log: ProcessLog;
  /** Its environment, if not this process's. */
  readonly env?: NodeJS.ProcessEnv;
};

/** Starts a process in a group of its own, out of reach of a terminal's Ctrl-C. */
export function startChild(options: ChildOptions): Child {
  return watch(spawnWatched(options, []), options);
}

/** Starts a Node process, also in a group of its own, that can be asked things over IPC. */
export function startNode(options: ChildOptions): Child & { readonly ask: AskHook } {
  const child = spawnWatched({ ...options, command: [process.execPath, ...options.command] }, ['ipc']);
  return { ...watch(child, options), ask: openHooks(child) };
}

function spawnWatched({ command, env }: ChildOptions, channels: readonly 'ipc'[]): ChildProcess {
  return spawn('sh', ['-c', watcher, 'sh', ...command], {
    cwd: repositoryRoot,
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
    stop: async (graceMs) => {
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
    // No such group: it has ended by itself.
  }
}
