import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { REPOSITORY_ROOT } from './repository.ts';
import { type AskHook, openHooks } from './service-hooks.ts';
import { StartError } from './start-error.ts';

/**
 * A shell script that runs the command "$@" as a child. It kills the child when standard input closes, so the child
 * ends even if the stack is killed. It passes SIGTERM on to the child. On SIGUSR1, it kills the child. It exits with
 * the child's status, for which it waits again after a signal. It closes its own copy of descriptor 3, the child's IPC
 * channel.
 */
const WATCHER = `
exec 9<&0
"$@" 9<&- </dev/null &
child=$!
exec 3>&-
{ read -r _ <&9; kill -KILL $child; } >/dev/null 2>&1 &
watch=$!
exec 9<&-
trap 'interrupted=yes; kill -TERM $child' TERM
trap 'interrupted=yes; kill -KILL $child' USR1
while :; do interrupted=; wait $child; status=$?; [ $interrupted ] || break; done
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

interface ChildOptions {
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

const TAIL_LENGTH = 4096;
const TAIL_LINES = 10;

/**
 * Appends the output of a child process to a file, if there is one. Keeps the last lines in memory, to explain a failed
 * start.
 */
export interface ProcessLog {
  follow(stream: Readable): void;
  tail(): string;
  close(): void;
}

/** Opens a log. Without a file, the log keeps only the last lines, in memory. */
export function openProcessLog(file: string | undefined): ProcessLog {
  const out = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
  // A full disk must not end the stack, so an error only ends the log.
  out?.once('error', (error) => process.stderr.write(`The stack stopped writing ${file}: ${error.message}\n`));
  out?.on('error', () => undefined);
  let tail = '';
  return {
    follow(stream) {
      stream.on('data', (chunk: Buffer) => {
        if (!out?.destroyed) out?.write(chunk);
        tail = (tail + chunk.toString()).slice(-TAIL_LENGTH);
      });
    },
    tail: () => tail.trimEnd().split('\n').slice(-TAIL_LINES).join('\n'),
    close: () => out?.end(),
  };
}

const POLL_MS = 25;
const DEADLINE_MS = 60_000;

/** Returns whether the address answers a GET with a 2xx status. */
export async function answers(url: string): Promise<boolean> {
  const status = await statusOf(url);
  return status !== undefined && status >= 200 && status < 300;
}

/** Returns whether the address answers a GET, with any status. */
export async function listens(url: string): Promise<boolean> {
  return (await statusOf(url)) !== undefined;
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

/**
 * Polls the address until `isReady` returns true. Throws {@link StartError} if the process ends, or if a minute has
 * passed.
 */
export async function waitUntilReady(
  child: Pick<Child, 'name' | 'ended' | 'tail'>,
  url: string,
  isReady = answers,
): Promise<void> {
  let end: string | undefined;
  child.ended.then((how) => {
    end = how;
  });
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isReady(url))) {
    if (end !== undefined) throw new StartError(`${child.name} stopped while starting (${end})\n${child.tail()}`);
    if (performance.now() > deadline)
      throw new StartError(`${child.name} did not become ready at ${url}\n${child.tail()}`);
    await sleep(POLL_MS);
  }
}

interface ChildServerOptions extends ChildOptions {
  /** A URL that answers a GET with a 2xx status once the server is ready. */
  readonly readyUrl: string;
}

/** Starts a server and waits until it is ready. Throws {@link StartError} if it does not become ready. */
export async function startChildServer(options: ChildServerOptions): Promise<Child> {
  const child = startChild(options);
  try {
    await waitUntilReady(child, options.readyUrl);
    return child;
  } catch (error) {
    await child.stop(0);
    throw error;
  }
}
