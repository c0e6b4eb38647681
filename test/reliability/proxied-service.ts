import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type AskHook, openHooks } from '../../emulators/base/service-hooks.ts';
import { type Silence, startFaultProxy } from '../../emulators/stack/faults.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { serviceEnvironment } from '../../emulators/stack/service-environment.ts';
import type { Addresses } from '../support/client.ts';
import { endChildrenWithThisProcess } from '../support/end-children.ts';
import { SOURCE } from '../support/second-service.ts';
import { startFailingGrpcProxy, startFailingHttpProxy } from './failing-proxy.ts';

/** The dependencies of the service that can have faults. */
export const PARTS = ['kms', 'firestore', 'pdp', 'idp', 'stripe'] as const;
export type Part = (typeof PARTS)[number];

/**
 * The kinds of faults of a dependency. `down`: connections are reset. `slow`: requests reach the dependency only after
 * all deadlines of the service have passed. `failing`: one call in five fails. The others are kinds of {@link Silence}.
 */
export const KINDS = ['down', 'slow', 'failing', 'silent', 'silent answers', 'silent connects'] as const;
export type Kind = (typeof KINDS)[number];

export function isSilence(kind: Kind): kind is Silence {
  return kind.startsWith('silent');
}

const TOO_SLOW = { delay_ms: 120_000 };
const ONE_IN = 5;

/**
 * The process's port, relative to the port of the stack's service. The stack reserves this port but never listens on
 * it, so the port stays free while the process is down.
 */
const PORT_OFFSET = 3;

/** The heap limit of the process in MiB. It is so small that a process that leaks memory soon fails. */
const HEAP_MB = 192;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FRAMEWORK = `${ROOT}node_modules/.bin/functions-framework`;
const FLAVOUR = { billing: true, console: true, wrappedRoot: true, transit: true };

/**
 * A process of the service that runs in addition to the stack's own process, with separate fault proxies. Tests may
 * kill it.
 */
export interface ProxiedService extends Addresses {
  /** Starts a fault of a dependency. `null` ends it. If the process is running, its cached readiness is cleared. */
  set(part: Part, kind: Kind | null): Promise<void>;
  /** Delays requests to a dependency by `delayMs`. */
  delay(part: Part, delayMs: number): void;
  /** Returns the id of the process. */
  pid(): number;
  /**
   * Sends the process a message that moves its clock, runs a job or measures it, as the stack does for its own process.
   */
  readonly ask: AskHook;
  /** Returns the peak memory of the process, in bytes. */
  peakMemory(): Promise<number>;
  /** Ends the process with a signal. Resolves to its exit code, or to `null` if the signal killed it. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** Starts the process, or restarts it after it has ended. Resolves when it answers requests. */
  start(): Promise<void>;
  /** Stops the process and the proxies. */
  stop(): Promise<void>;
}

/** Settings of the process that differ from the usual ones. */
export interface ProxiedServiceOptions {
  /** Environment variables that are added or replaced. */
  readonly env?: NodeJS.ProcessEnv;
  /** Additional flags for Node. */
  readonly flags?: readonly string[];
  /** Receives the process's standard output. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/** Starts the fault proxies, and prepares the process without starting it. */
export async function makeProxiedService(
  stack: Addresses,
  { env: own = {}, flags = [], onOutput }: ProxiedServiceOptions = {},
): Promise<ProxiedService> {
  endChildrenWithThisProcess();
  const ports = portsOf(stack);
  const targets = {
    kms: ports.kms,
    firestore: ports.firestore,
    pdp: ports.policy,
    idp: ports.identity,
    stripe: ports.stripe,
  };
  const proxies = {
    kms: await addFaultProxy(await startFailingGrpcProxy(targets.kms)),
    firestore: await addFaultProxy(await startFailingGrpcProxy(targets.firestore)),
    pdp: await addFaultProxy(await startFailingHttpProxy(targets.pdp)),
    idp: await addFaultProxy(await startFailingHttpProxy(targets.idp)),
    stripe: await addFaultProxy(await startFailingHttpProxy(targets.stripe)),
  };
  const port = ports.service + PORT_OFFSET;
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    ...serviceEnvironment({ inherited: process.env, flavour: FLAVOUR, ports, proxies }),
    RATE_LIMIT: 'off',
    ...own,
  };
  let child: ChildProcess | undefined;
  let askChild: AskHook | undefined;

  const ask: AskHook = (hook) => {
    if (child === undefined || askChild === undefined) throw new Error('the service is not running');
    return askChild(hook);
  };

  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const ending = child;
    child = undefined;
    if (ending === undefined) return null;
    const ended = hasEnded(ending) ? undefined : once(ending, 'exit');
    ending.kill(signal);
    await ended;
    return ending.exitCode;
  };
  return {
    baseUrl,
    controlUrl: stack.controlUrl,
    async set(part, kind) {
      proxies[part].set(kind);
      if (child !== undefined) await ask({ forget_readiness: true });
    },
    delay: (part, delayMs) => proxies[part].delay(delayMs),
    pid() {
      if (child?.pid === undefined) throw new Error('the service is not running');
      return child.pid;
    },
    ask,
    async peakMemory() {
      return z.object({ peak_rss_bytes: z.number() }).parse(await ask({ measure: true })).peak_rss_bytes;
    },
    end,
    async start() {
      if (child !== undefined) throw new Error('the service is already running');
      const args = [
        `--max-old-space-size=${HEAP_MB}`,
        ...flags,
        FRAMEWORK,
        `--source=${SOURCE}`,
        '--target=router',
        `--port=${port}`,
      ];
      const output = onOutput === undefined ? 'ignore' : 'pipe';
      const started = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', output, 'pipe', 'ipc'] });
      child = started;
      askChild = openHooks(started);
      if (onOutput !== undefined) started.stdout?.on('data', onOutput);
      let errorOutput = '';
      started.stderr?.on('data', (chunk: Buffer) => {
        errorOutput += chunk;
      });
      while (!(await isUp(baseUrl))) {
        if (hasEnded(started)) throw new Error(`the service did not start: ${errorOutput}`);
        await pause(20);
      }
    },
    async stop() {
      await end('SIGKILL');
      await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
    },
  };
}

/** Starts a proxy that breaks connections. It forwards to `failing`, a proxy that makes single calls fail. */
async function addFaultProxy(failing: Awaited<ReturnType<typeof startFailingGrpcProxy>>) {
  const line = await startFaultProxy({ host: '127.0.0.1', port: failing.port });
  return {
    port: line.port,
    set(kind: Kind | null) {
      line.set(kind === 'slow' ? TOO_SLOW : kind === 'failing' ? null : kind);
      failing.failOneIn(kind === 'failing' ? ONE_IN : 0);
    },
    delay: (delayMs: number) => line.set({ delay_ms: delayMs }),
    async stop() {
      await line.stop();
      failing.stop();
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function isUp(baseUrl: string): Promise<boolean> {
  return fetch(`${baseUrl}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
