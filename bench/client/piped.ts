import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { pathOf } from '../child.ts';

/** What a program took that read its input from a pipe and wrote to one. */
export interface Piped {
  readonly seconds: number;
  /** The most memory that it had at a time; 0 for what does not run on Node. */
  readonly peakRssBytes: number;
}

/** The search path with the checkout's programs first: the Node that they need, `esk` and `age-plugin-esk`. */
const PATH = [pathOf('../node_modules/.bin'), process.env.PATH].join(delimiter);

/** Has a Node program tell on its fourth descriptor, at its end, the most memory that it had, in KiB. */
const TELL_PEAK =
  "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))";

/** Runs a program with that input, and hands its output to `read`. Throws where it does not end with 0. */
export async function piped(
  [name, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  input: AsyncIterable<Uint8Array>,
  read: (output: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<Piped> {
  const startedAt = performance.now();
  const child = spawn(name, args, {
    env: { PATH, HOME: '/nonexistent', ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURI(TELL_PEAK)}` },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const told = Promise.all([text(streamAt(child, 2)), text(streamAt(child, 3))]);
  await Promise.all([pipeline(input, child.stdin), read(child.stdout)]);
  const [exitCode] = await exited;
  const [errors, peakKib] = await told;
  if (exitCode !== 0) throw new Error(`${name} ${args.join(' ')}: exit ${exitCode}: ${errors}`);
  return { seconds: (performance.now() - startedAt) / 1000, peakRssBytes: Number(peakKib) * 1024 };
}

function streamAt(child: ChildProcess, descriptor: number): Readable {
  const stream = child.stdio[descriptor];
  if (!stream || !('read' in stream)) throw new Error(`the program has no descriptor ${descriptor}`);
  return stream;
}

/** So many bytes that do not compress, the same each time, in pieces of 1 MiB. */
export async function* bytesOf(length: number, block: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < length; sent += block.length)
    yield block.subarray(0, Math.min(block.length, length - sent));
}
