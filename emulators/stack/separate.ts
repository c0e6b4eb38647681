import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../base/child-process.ts';
import { type Lock, takeLock } from '../base/lock-file.ts';
import { portsFrom } from './ports.ts';

const START = fileURLToPath(new URL('../start.ts', import.meta.url));
const ATTEMPTS = 20;
// The range of ports for the services of stacks. It is below 32768, because Linux uses higher ports for outgoing
// connections, which could take a port that was just checked. It is narrower than 2,907, the distance between the ports
// of a stack's service and console. So no port of one stack can be a port of another.
const FIRST_PORT = 28_260;
const LAST_PORT = 31_160;
const PORTS_APART = 20;
/**
 * The folder with the locks for ports in use. Without locks, two stacks could both find the same ports free and start
 * there.
 */
const LOCKS = join(tmpdir(), `encryption-stacks-${process.getuid?.()}`);
const STOP_WITHIN_MS = 60_000;

/** What the stack, Node, Cerbos and Java say if a port is taken. */
const TAKEN = /is in use|EADDRINUSE|address already in use/i;

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
  for (let attempt = 1; ; attempt++) {
    const { port, lock } = leasePorts();
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
    if ((await Promise.race([ready.promise, child.ended])) === 'ready') {
      return {
        baseUrl: `http://127.0.0.1:${port}`,
        controlUrl: `http://127.0.0.1:${portsFrom(port).control}`,
        async stop() {
          await child.stop(STOP_WITHIN_MS);
          lock.release();
        },
      };
    }
    lock.release();
    if (attempt === ATTEMPTS || !TAKEN.test(output)) throw new Error(`the stack did not start: ${output}`);
  }
}

/** Reserves the ports of a stack until the lock is released or this process ends. Returns the service's port. */
export function leasePorts(): { readonly port: number; readonly lock: Lock } {
  mkdirSync(LOCKS, { recursive: true });
  for (;;) {
    const port = FIRST_PORT + PORTS_APART * Math.floor((Math.random() * (LAST_PORT - FIRST_PORT)) / PORTS_APART);
    const lock = takeLock(join(LOCKS, String(port)));
    if ('release' in lock) return { port, lock };
  }
}
