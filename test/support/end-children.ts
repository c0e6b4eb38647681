import { ChildProcess, spawn } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/**
 * Reads the ids of started processes, and reads an id again with a minus when that process has ended. When its input
 * closes, it kills the remaining processes. The system closes its input when this process ends in any way.
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

/** Makes every child process end with this process, even if this process is killed or a failed test left its child. */
export function endChildrenWithThisProcess(): void {
  if (isGuarded) return;
  isGuarded = true;
  // In a separate process group, which Ctrl-C does not reach.
  const guard = spawn('sh', ['-c', GUARD], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  // The guard may have been killed.
  guard.stdin.on('error', () => undefined);
  subscribe('child_process', (message) => {
    if (!(message instanceof Object && 'process' in message && message.process instanceof ChildProcess)) return;
    const child = message.process;
    child.once('spawn', () => guard.stdin.write(`${child.pid}\n`));
    child.once('exit', () => guard.stdin.write(`-${child.pid}\n`));
  });
}
