import { ChildProcess, spawn } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import type { Plugin } from 'vitest/config';

/**
 * A shell script that reads a line for each process that starts (its id) or ends (`-` and its id). When its input
 * closes, the script kills the processes that are still running. The input closes when the parent process ends, even if
 * it is killed.
 */
const GUARD = `
left=
while read -r id; do
  case $id in
    -*) kept=; for one in $left; do [ "$one" = "\${id#-}" ] || kept="$kept $one"; done; left=$kept ;;
    *) left="$left $id" ;;
  esac
done
[ -z "$left" ] || kill -KILL $left`;

let isGuarded = false;

/**
 * Makes all child processes end when this process ends, even if it is killed or a failed test has left a child running.
 */
export function endChildrenWithThisProcess(): void {
  if (isGuarded) return;
  isGuarded = true;
  // `detached` puts the guard in a separate process group, so that Ctrl-C does not end the guard.
  const guard = spawn('sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  // Writing fails if the guard has been killed.
  guard.stdin.on('error', () => undefined);
  subscribe('child_process', (message) => {
    if (!(message instanceof Object && 'process' in message && message.process instanceof ChildProcess)) return;
    const child = message.process;
    child.once('spawn', () => guard.stdin.write(`${child.pid}\n`));
    child.once('exit', () => guard.stdin.write(`-${child.pid}\n`));
  });
}

/**
 * Makes every process of a test run end when the run ends. Makes the run fail if its process does not exit, for example
 * because a stack does not stop. Otherwise, Vitest would report success.
 */
export const endRun: Plugin = {
  name: 'end-run',
  configureVitest({ vitest }) {
    endChildrenWithThisProcess();
    vitest.config.reporters.push({
      onProcessTimeout() {
        process.exitCode = 1;
      },
    });
  },
};
