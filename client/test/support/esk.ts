import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';

/** The path of the `esk` program. */
export const ESK = join(import.meta.dirname, '../../bin/esk.js');
/** Node's compile cache, which halves the start time of the next run. */
export const COMPILE_CACHE = join(tmpdir(), 'esk-test-cache');

export interface Run {
  /** Environment variables to add to the few that programs need to run. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** Standard input; none by default. */
  readonly input?: string | Uint8Array;
}

export interface Ended {
  /** `null` if a signal ended the program. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
}

/** Starts `esk`. The caller reads its standard output, so the `stdout` of `ended` is empty. */
export function start(args: readonly string[], { env, cwd }: Run = {}): Running {
  const { child, ended } = launch(args, { env, cwd });
  return { child, ended: Promise.all([ended, text(child.stderr)]).then(([how, stderr]) => ({ ...how, stderr })) };
}

/** Runs `esk` until it exits. */
export async function esk(args: readonly string[], options: Run = {}): Promise<Ended> {
  const { child, ended } = launch(args, options);
  child.stdin.end(options.input);
  const [how, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), text(child.stderr)]);
  return { ...how, stdout, stderr };
}

/** Runs `esk` with `--json` and returns its output. Throws if the run fails. */
export async function eskJson(args: readonly string[], options: Run = {}): Promise<unknown> {
  const { code, stdout, stderr } = await esk([...args, '--json'], options);
  if (code !== 0) throw new Error(`esk ${args.join(' ')}: ${code} ${stderr}`);
  return JSON.parse(stdout.toString());
}

function launch(args: readonly string[], { env, cwd }: Run) {
  const child = spawn(process.execPath, [ESK, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: join(tmpdir(), 'nobody'),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Writing fails if the program exits before it has read all of its input.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout: Buffer.alloc(0), stderr: '' }));
  });
  return { child, ended };
}
