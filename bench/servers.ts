import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { portsOf } from '../emulators/stack/ports.ts';
import { serviceEnvironment } from '../emulators/stack/service-environment.ts';

/** `trips` counts the round trips of each kind. */
const reading = z.object({
  cpu_us: z.number(),
  heap_bytes: z.number(),
  peak_rss_bytes: z.number(),
  loop_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }),
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
 * Starts a Node program with an IPC channel. `untilReady` waits until the program answers requests. Passes standard
 * output to `onOutput`, or discards it if `onOutput` is missing.
 */
export async function startServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  url: string,
  untilReady: (child: ChildProcess) => Promise<void>,
  onOutput?: (bytes: Buffer) => void,
): Promise<Server> {
  const output = onOutput === undefined ? 'ignore' : 'pipe';
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', output, 'inherit', 'ipc'] });
  if (onOutput !== undefined) child.stdout?.on('data', onOutput);
  await untilReady(child);
  return {
    url,
    async read(order = { measure: true }) {
      const answered = once(child, 'message');
      child.send({ id: 1, ...order });
      const [message] = await answered;
      return z.object({ ok: reading }).parse(message).ok;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
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
  const ports = portsOf(stack);
  const direct = (port: number) => ({ port });
  const proxies = {
    kms: direct(ports.kms),
    pdp: direct(ports.policy),
    idp: direct(ports.identity),
    stripe: direct(ports.stripe),
    firestore: direct(ports.firestore),
  };
  const flavour = { billing: true, console: true, wrappedRoot: true, transit: true };
  const service = serviceEnvironment({ inherited: process.env, flavour, ports, proxies });
  // The service turns off Firestore's tracing itself. Without this setting, the baseline would be slower because of
  // tracing.
  return { ...service, FIRESTORE_ENABLE_TRACING: 'off', RATE_LIMIT: 'off', KMS_OPERATIONS_PER_SECOND: '' };
}

/**
 * Starts the service and waits until it is ready. `flags` are options for Node. Passes the service's log to `onOutput`,
 * or discards it if `onOutput` is missing. `checkout` may be another checkout of the repository. Throws an `Error` if
 * the service is not ready within a minute.
 */
export function startService(
  env: NodeJS.ProcessEnv,
  port: number,
  flags: readonly string[] = [],
  onOutput?: (bytes: Buffer) => void,
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
  const untilReady = async () => {
    const until = performance.now() + READY_WITHIN_MS;
    while (performance.now() < until) {
      const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
      if (answer?.status === 200) return;
      await wait(50);
    }
    throw new Error('the service did not become ready');
  };
  return startServer(args, env, url, untilReady, onOutput);
}

/** Starts the baseline, and waits until it is ready. */
export function startBaseline(env: NodeJS.ProcessEnv, port: number): Promise<Server> {
  const args = [pathOf('baseline.ts')];
  return startServer(args, { ...env, PORT: String(port) }, `http://127.0.0.1:${port}/`, async (child) => {
    await once(child, 'message');
  });
}
