import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { ROOT } from '../../../test/sources.ts';

/** The exit status and the output of a program. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The search path. It starts with this repository's Node, `esk` and `age-plugin-esk`. */
const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);

/** Runs a program with only the given environment variables, so that it finds no other credential. */
export async function runProgram(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  input: Uint8Array = new Uint8Array(),
): Promise<Ended> {
  const [name, ...args] = command;
  const child = spawn(name, args, { env: { PATH, HOME: '/nonexistent', ...env } });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (some) => output.push(some));
  child.stderr.on('data', (some) => errors.push(some));
  // Writing fails if the program exits before it has read all of its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [exitCode] = await once(child, 'exit');
  await Promise.all([finished(child.stdout), finished(child.stderr)]);
  return { exitCode, stdout: Buffer.concat(output), stderr: Buffer.concat(errors).toString() };
}
