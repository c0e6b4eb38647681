import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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

const TAKEN = /is in use|EADDRINUSE/;

/** A stack in a process of its own. It ends with `stop`, or when the process that started it exits. */
export interface SeparateStack {
  readonly baseUrl: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

/** Starts `npm start -- --ephemeral` with these flags on free ports. Throws with its output when it does not start. */
export async function startSeparateStack(...flags: readonly string[]): Promise<SeparateStack> {
  for (let attempt = 1; ; attempt++) {
    const port = FIRST_PORT + PORTS_APART * Math.floor((Math.random() * (LAST_PORT - FIRST_PORT)) / PORTS_APART);
    const child = spawn(process.execPath, [START, '--ephemeral', '--port', String(port), ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = await untilReadyOrExit(child);
    const at = { baseUrl: `http://127.0.0.1:${port}`, controlUrl: `http://127.0.0.1:${portsFrom(port).control}` };
    if (child.exitCode === null) {
      process.once('exit', () => child.kill('SIGTERM'));
      return { ...at, stop: () => stop(child) };
    }
    if (attempt === ATTEMPTS || !TAKEN.test(said)) throw new Error(`the stack did not start: ${said}`);
  }
}

async function untilReadyOrExit(child: ChildProcess): Promise<string> {
  let said = '';
  const ready = new Promise<void>((resolve) => {
    const read = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('Ready.')) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
  await Promise.race([ready, once(child, 'exit')]);
  return said;
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
