import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { portsOf } from '../emulators/stack/ports.ts';
import { allConfigured } from '../emulators/stack/service-environment.ts';

// Without this setting, Google's clients would look for the metadata server of Google Cloud.
process.env.METADATA_SERVER_DETECTION ??= 'none';

/** `trips` counts the round trips of each kind. */
const reading = z.object({
  cpu_us: z.number(),
  loop_ms: z.object({ p99: z.number() }),
  trips: z.record(z.string(), z.number()).default({}),
});
export type Reading = z.output<typeof reading>;

export interface Server {
  readonly url: string;
  /**
   * Sends `order` to the process, which can change a setting there. Returns the resources that the process has used so
   * far.
   */
  read(order?: object): Promise<Reading>;
  stop(): Promise<void>;
}

/** Returns the absolute path of a file, given its path relative to this folder. */
export function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/**
 * Starts a Node program with an IPC channel, and discards its standard output. `untilReady` waits until the program
 * answers requests. By default, this is its first message.
 */
export async function startServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  url = '',
  untilReady: (child: ChildProcess) => Promise<unknown> = nextMessage,
): Promise<Server> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await untilReady(child);
  return {
    url,
    async read(order = { measure: true }) {
      const answered = nextMessage(child);
      child.send({ id: 1, ...order });
      return z.object({ ok: reading }).parse(await answered).ok;
    },
    stop: () => end(child),
  };
}

/** Returns the next message of a process. Throws if the process ends first. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const exited = () => ended.abort(new Error(`${child.spawnargs.join(' ')} ended`));
  child.once('exit', exited);
  try {
    const [received] = await once(child, 'message', { signal: ended.signal });
    return received;
  } finally {
    child.off('exit', exited);
  }
}

/** Sends a process SIGTERM, unless it has ended. Resolves when it has ended. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

type Address = Parameters<typeof portsOf>[0];

const READY_WITHIN_MS = 60_000;

/** Returns the checkout's program that starts a function, as the platform does. */
export function frameworkOf(checkout: string): string {
  return join(checkout, 'node_modules/.bin/functions-framework');
}

/**
 * Returns the port with the index `n` among the stack's ports for functions. These ports are free, because only a
 * deployed stack uses them.
 */
export function sparePort(stack: Address, n: number): number {
  return portsOf(stack).functions + n;
}

/**
 * Returns the environment for a service on a stack. This service has no fault proxies, no rate limit and no limit on
 * KMS operations.
 */
export function environment(stack: Address): NodeJS.ProcessEnv {
  // The service turns off Firestore's tracing itself. Without this setting, the baseline would be slower because of
  // tracing.
  const unlimited = { FIRESTORE_ENABLE_TRACING: 'off', RATE_LIMIT: 'off', KMS_OPERATIONS_PER_SECOND: '' };
  return { ...allConfigured(stack, {}, process.env), ...unlimited };
}

/**
 * Starts the service and waits until it is ready. `flags` are options for Node. `checkout` may be another checkout of
 * the repository. Throws an `Error` if the service is not ready within a minute.
 */
export function startService(
  env: NodeJS.ProcessEnv,
  port: number,
  flags: readonly string[] = [],
  checkout = pathOf('..'),
): Promise<Server> {
  const url = `http://127.0.0.1:${port}`;
  const source = join(checkout, 'functions/local/router.ts');
  const args = [
    ...flags,
    `--import=${pathToFileURL(join(checkout, 'functions/preload/all.ts'))}`,
    frameworkOf(checkout),
    `--source=${source}`,
    '--target=router',
    `--port=${port}`,
  ];
  return startServer(args, env, url, async () => {
    const until = performance.now() + READY_WITHIN_MS;
    while (performance.now() < until) {
      const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
      if (answer?.status === 200) return;
      await pause(50);
    }
    throw new Error('the service did not become ready');
  });
}

/** Starts the baseline, and waits until it is ready. */
export function startBaseline(env: NodeJS.ProcessEnv, port: number): Promise<Server> {
  return startServer([pathOf('baseline.ts')], { ...env, PORT: String(port) }, `http://127.0.0.1:${port}/`);
}
