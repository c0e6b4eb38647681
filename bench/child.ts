import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

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
