import { mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../base/child-process.ts';
import { type Lock, takeLock } from '../base/lock-file.ts';
import { portsFrom } from './ports.ts';

const START = fileURLToPath(new URL('../start.ts', import.meta.url));
const ATTEMPTS = 20;
// Below 32768, from where Linux takes ports for outgoing connections: one could take a port between its check and its
// use.
// The range is no wider than the 2,907 by which the console's port is below the service's: stacks cannot
// overlap.
const FIRST_PORT = 28_260;
const LAST_PORT = 31_160;
const PORTS_APART = 20;
/** Has a lock for each stack: two that check the same free ports at once would both begin. */
const LOCKS = join(tmpdir(), `encryption-stacks-${userInfo().username}`);
const STOP_WITHIN_MS = 60_000;

const TAKEN = /is in use|EADDRINUSE/;

/** A stack in a separate process. It ends with `stop`, or when the process that started it ends, however that happens. */
export interface SeparateStack {
  readonly baseUrl: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

/** Starts `npm start -- --ephemeral --no-schedules` with these flags on free ports. Throws with its output when it does not start. */
export async function startSeparateStack(...flags: readonly string[]): Promise<SeparateStack> {
  for (let attempt = 1; ; attempt++) {
    const { port, lock } = leasePorts();
    let said = '';
    const ready = Promise.withResolvers<'ready'>();
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      if (said.includes('Ready.')) ready.resolve('ready');
    };
    const child = startChild({
      name: 'the stack',
      command: [process.execPath, START, '--ephemeral', '--no-schedules', '--port', String(port), ...flags],
      log: { follow: (stream) => void stream.on('data', read), tail: () => said, close: () => undefined },
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
    if (attempt === ATTEMPTS || !TAKEN.test(said)) throw new Error(`the stack did not start: ${said}`);
  }
}

/** The service's port of a stack that nobody else here starts before the lock is released, or this process ends. */
export function leasePorts(): { readonly port: number; readonly lock: Lock } {
  mkdirSync(LOCKS, { recursive: true });
  for (;;) {
    const port = FIRST_PORT + PORTS_APART * Math.floor((Math.random() * (LAST_PORT - FIRST_PORT)) / PORTS_APART);
    const lock = takeLock(join(LOCKS, String(port)));
    if ('release' in lock) return { port, lock };
  }
}
