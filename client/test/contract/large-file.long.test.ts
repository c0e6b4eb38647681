import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ownStack } from '../../../test/support/own-stack.ts';
import { makeTenant } from '../../../test/support/tenant.ts';

/** The result of a program that reads from one pipe and writes to another. */
interface Piped {
  /** The peak memory of the program. */
  readonly peakRssBytes: number;
}

/** The search path. It starts with this repository's Node, `esk` and `age-plugin-esk`. */
const PATH = [fileURLToPath(new URL('../../../node_modules/.bin', import.meta.url)), process.env.PATH].join(delimiter);

/** Makes a Node program write its peak memory in KiB to file descriptor 3 when it ends. */
const REPORT_PEAK =
  "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(3,String(process.resourceUsage().maxRSS)))";

/** Runs a program with an input, and passes its output to `read`. Throws unless it exits with 0. */
async function piped(
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
async function* bytesOf(length: number, block: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < length; sent += block.length)
    yield block.subarray(0, Math.min(block.length, length - sent));
}

const stack = ownStack();

const GIB = 2 ** 30;
/** Peak memory depends on the garbage collector. Measured peaks varied between 130 and 290 MiB. */
const MEMORY_LIMIT = GIB / 2;

test.each([
  ['without armor', []],
  ['with armor', ['--armor']],
])(
  'esk encrypts 1 GiB %s and decrypts it unchanged, with less than 512 MiB of memory',
  async (_, armor) => {
    const tenant = await makeTenant(stack);
    const key = await tenant.createKey('software');
    const env = { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' };
    const block = randomBytes(2 ** 20);
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    for await (const some of bytesOf(GIB, block)) sent.update(some);

    const file = new PassThrough();
    const [encrypted, decrypted] = await Promise.all([
      piped(['esk', 'encrypt', '--key', key, ...armor], env, bytesOf(GIB, block), (output) => pipeline(output, file)),
      piped(['esk', 'decrypt'], env, file, async (output) => {
        for await (const some of output) received.update(some);
      }),
    ]);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    for (const { peakRssBytes } of [encrypted, decrypted]) {
      expect(peakRssBytes).toBeGreaterThan(0);
      expect(peakRssBytes).toBeLessThan(MEMORY_LIMIT);
    }
  },
  300_000,
);
