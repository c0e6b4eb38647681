import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startChild } from '../base/child-process.ts';
import { listen } from '../base/listen.ts';
import { StartError } from '../base/start-error.ts';
import { portsFrom, portsToHold, refusePortsInUse } from './ports.ts';

const START = fileURLToPath(new URL('../start.ts', import.meta.url));
const STOP_WITHIN_MS = 60_000;

/**
 * The ports that the services of leased stacks can have. They are below 32768, because Linux uses higher ports for
 * outgoing connections, which could take a port that was just checked. No port of one of these stacks is a port of
 * another.
 */
export const LEASABLE_PORTS: readonly number[] = Array.from({ length: 96 }, (_, at) => 28_260 + 30 * at);
/** The port that a lease holds, as an offset from the service's port. No part of a stack uses it. */
const LEASE = 1;
const EVERY_PART = {
  billing: true,
  console: true,
  wrappedRoot: true,
  transit: true,
  ownFirestore: true,
  deployed: true,
};

/** The right to use the ports of a stack. It ends after `release`, or when the process ends for any reason. */
export interface PortLease {
  /** The port of the stack's service. */
  readonly port: number;
  release(): void;
}

/** A stack in a separate process. It ends after `stop` is called, or when the parent process ends for any reason. */
export interface SeparateStack {
  readonly baseUrl: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts a stack on free ports, without saved state and without schedules. If the stack does not start, throws an error
 * with its output.
 */
export async function startSeparateStack(...flags: readonly string[]): Promise<SeparateStack> {
  const { port, release } = await leasePorts();
  let output = '';
  const ready = Promise.withResolvers<'ready'>();
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    if (output.includes('Ready.')) ready.resolve('ready');
  };
  const child = startChild({
    name: 'the stack',
    command: [process.execPath, START, '--ephemeral', '--no-schedules', '--port', String(port), ...flags],
    log: { follow: (stream) => void stream.on('data', read), tail: () => output, close: () => undefined },
  });
  if ((await Promise.race([ready.promise, child.ended])) !== 'ready') {
    release();
    throw new Error(`the stack did not start: ${output}`);
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    controlUrl: `http://127.0.0.1:${portsFrom(port).control}`,
    async stop() {
      await child.stop(STOP_WITHIN_MS);
      release();
    },
  };
}

/** Leases the ports of a stack. Throws if no ports are free. */
export async function leasePorts(): Promise<PortLease> {
  const first = Math.floor(Math.random() * LEASABLE_PORTS.length);
  for (const port of [...LEASABLE_PORTS.slice(first), ...LEASABLE_PORTS.slice(0, first)]) {
    const lease = createServer().unref();
    try {
      await listen(lease, port + LEASE);
      await refusePortsInUse(portsToHold(portsFrom(port), EVERY_PART));
      return { port, release: () => void lease.close() };
    } catch (error) {
      lease.close();
      if (!(error instanceof StartError || isInUse(error))) throw error;
    }
  }
  throw new Error('no ports are free for another stack');
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
