import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';
import { type AskHook, openHooks } from '../../emulators/base/service-hooks.ts';
import { type Silence, startFaultProxy } from '../../emulators/stack/faults.ts';
import { portsOf } from '../../emulators/stack/ports.ts';
import { allConfigured } from '../../emulators/stack/service-environment.ts';
import type { Addresses } from '../support/client.ts';
import { type SecondService, type StartOptions, startSecondService } from '../support/second-service.ts';
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

/**
 * A process of the service that runs in addition to the stack's own process, with separate fault proxies. Tests may
 * kill it.
 */
export interface ProxiedService extends Addresses {
  /** Starts a fault of a dependency. `null` ends it. If the process is running, its cached readiness is cleared. */
  set(part: Part, kind: Kind | null): Promise<void>;
  /** Delays requests to a dependency by `delayMs`. */
  delay(part: Part, delayMs: number): void;
  /** Returns the process. */
  child(): ChildProcess;
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

/**
 * Starts the fault proxies, and prepares the process without starting it. `settings` are added to its environment, or
 * replace variables.
 */
export async function makeProxiedService(
  stack: Addresses,
  settings: NodeJS.ProcessEnv = {},
  { flags = [], ...options }: Omit<StartOptions, 'port'> = {},
): Promise<ProxiedService> {
  const ports = portsOf(stack);
  const proxies = {
    kms: await addFaultProxy(await startFailingGrpcProxy(ports.kms)),
    firestore: await addFaultProxy(await startFailingGrpcProxy(ports.firestore)),
    pdp: await addFaultProxy(await startFailingHttpProxy(ports.policy)),
    idp: await addFaultProxy(await startFailingHttpProxy(ports.identity)),
    stripe: await addFaultProxy(await startFailingHttpProxy(ports.stripe)),
  };
  const port = ports.service + PORT_OFFSET;
  const env = { ...allConfigured(stack, proxies), DEADLINES: 'usual', ...settings };
  let running: (SecondService & { readonly ask: AskHook }) | undefined;
  const required = () => {
    if (running === undefined) throw new Error('the service is not running');
    return running;
  };
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    const ending = running;
    running = undefined;
    return ending?.stop(signal) ?? null;
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    controlUrl: stack.controlUrl,
    async set(part, kind) {
      proxies[part].set(kind);
      await running?.ask({ forget_readiness: true });
    },
    delay: (part, delayMs) => proxies[part].delay(delayMs),
    child: () => required().child,
    ask: (hook) => required().ask(hook),
    async peakMemory() {
      return z.object({ peak_rss_bytes: z.number() }).parse(await required().ask({ measure: true })).peak_rss_bytes;
    },
    end,
    async start() {
      if (running !== undefined) throw new Error('the service is already running');
      const limited = [`--max-old-space-size=${HEAP_MB}`, ...flags];
      const started = await startSecondService(stack, env, { ...options, port, flags: limited });
      running = { ...started, ask: openHooks(started.child) };
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
