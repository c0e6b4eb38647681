import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { COMPILE_CACHE, type Run } from './esk.ts';

/** Runs a line of bash, with few environment variables. */
export async function run(line: string, { env, cwd }: Run) {
  const child = spawn('bash', ['-c', line], {
    cwd,
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}
