import { execFileSync, spawn } from 'node:child_process';
import { COMPILE_CACHE, ESK, type Run } from './esk.ts';

/** Whether `script` of util-linux can run programs at a terminal on this machine. */
export const hasTerminal = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

/** The end of each question that `esk` asks. */
const QUESTION = 'to confirm: ';

/**
 * Runs `esk` at a terminal, and types the text when `esk` asks. Returns the exit code and everything that the terminal
 * showed.
 */
export async function atTerminal(args: readonly string[], typed: string, { env = {}, cwd }: Run) {
  const command = [process.execPath, ESK, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (some: string) => {
    const wasAsked = shown.includes(QUESTION);
    shown += some;
    if (!wasAsked && shown.includes(QUESTION)) child.stdin.write(typed);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown };
}
