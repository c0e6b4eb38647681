import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { portsFrom } from './ports.ts';

const START = fileURLToPath(new URL('../start.ts', import.meta.url));
const ATTEMPTS = 20;
// Below 32768, where Linux begins to give ports to outgoing connections: one of those could take a port between its check and its use.
// No more than 4,488 apart, by which the decision point's ports are below the service's: no stack's lie among another's.
const FIRST_PORT = 28_260;
const LAST_PORT = 32_700;
const PORTS_APART = 20;

const TAKEN = /is in use|EADDRINUSE/;

/** A stack in a process of its own. Whoever starts it stops it; it does not outlive the process that started it. */
export type SeparateStack = {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly stop: () => Promise<void>;
};

/** Starts an ephemeral stack on ports that were free, as a person would: `npm start -- --ephemeral` with these flags. */
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
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('Ready.')) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
  });
  await Promise.race([ready, once(child, 'exit')]);
  return said;
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
