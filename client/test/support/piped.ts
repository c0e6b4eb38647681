import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

/** The result of a program that reads from one pipe and writes to another. */
export interface Piped {
  /** The peak memory of the program. */
  readonly peakRssBytes: number;
}

/** The search path. It starts with this repository's Node, `esk` and `age-plugin-esk`. */
const PATH = [fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url)), process.env.PATH].join(delimiter);

/** Makes a Node program write its peak memory in KiB to file descriptor 3 when it ends. */
const REPORT_PEAK =
  "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))";

/** Runs a program with an input, and passes its output to `read`. Throws unless it exits with 0. */
export async function piped(
  [name, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  input: AsyncIterable<Uint8Array>,
  read: (output: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Piped> {
  const child = spawn(name, args, {
    env: {
      PATH,
      HOME: '/nonexistent',
      ...env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURI(REPORT_PEAK)}`,
    },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const reports = Promise.all([text(streamAt(child, 2)), text(streamAt(child, 3))]);
  await Promise.all([pipeline(input, child.stdin), read(child.stdout)]);
  const [exitCode] = await exited;
  const [errors, peakKib] = await reports;
  if (exitCode !== 0) throw new Error(`${name} ${args.join(' ')}: exit ${exitCode}: ${errors}`);
  return { peakRssBytes: Number(peakKib) * 1024 };
}

function streamAt(child: ChildProcess, descriptor: number): Readable {
  const stream = child.stdio[descriptor];
  if (!stream || !('read' in stream)) throw new Error(`the program has no descriptor ${descriptor}`);
  return stream;
}

/** Yields `length` bytes in chunks, by repeating the block. */
export async function* bytesOf(length: number, block: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < length; sent += block.length)
    yield block.subarray(0, Math.min(block.length, length - sent));
}
