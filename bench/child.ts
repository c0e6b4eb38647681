import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

/** What a process says of itself. */
const reading = z.object({
  cpu_us: z.number(),
  heap_bytes: z.number(),
  peak_rss_bytes: z.number(),
  loop_ms: z.object({ p50: z.number(), p99: z.number(), max: z.number() }),
  trips: z.record(z.string(), z.number()).default({}),
});
export type Reading = z.output<typeof reading>;

/** A server under load: where it is, and what it has used. */
export interface Server {
  readonly url: string;
  read(): Promise<Reading>;
  stop(): Promise<void>;
}

/** What one load measured: responses a second, latency in milliseconds. */
const measured = z.object({
  total: z.number(),
  perSecond: z.number(),
  p50: z.number(),
  p95: z.number(),
  p99: z.number(),
  failed: z.number(),
});
export type Load = z.output<typeof measured>;

/** The path of a file of this folder or of a neighbour. */
export function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** Starts a server with a channel to ask it on; `isUp` waits until it answers. */
export async function startServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  url: string,
  isUp: (child: ChildProcess) => Promise<void>,
): Promise<Server> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await isUp(child);
  return {
    url,
    async read() {
      const answered = once(child, 'message');
      child.send({ id: 1, measure: true });
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

/** Loads an address from a process of its own. */
export async function load(asked: {
  url: string;
  connections: number;
  seconds: number;
  token: string;
  body: string;
}): Promise<Load> {
  const { stdout } = await run(process.execPath, [pathOf('load.ts'), JSON.stringify(asked)], { maxBuffer: 1 << 24 });
  return measured.parse(JSON.parse(stdout));
}
