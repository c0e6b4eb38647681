import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

const lockName = 'lock';
const heldHere = new Set<string>();

/** Where a stack keeps its state between runs. */
export type DataDir = {
  /** The path of a file or folder inside. */
  readonly path: (name: string) => string;
  /** Lets another stack use the directory. */
  readonly unlock: () => void;
};

/**
 * Makes the directory, locks it and, when asked, forgets what is in it.
 * Throws {@link StartError} while another stack that runs has the lock; a lock left by one that was killed is taken.
 */
export function openDataDir(dir: string, options: { fresh: boolean }): DataDir {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = join(dir, lockName);
  takeLock(lock, dir);
  if (options.fresh) {
    for (const name of readdirSync(dir)) if (name !== lockName) rmSync(join(dir, name), { recursive: true });
  }
  const unlock = (): void => {
    process.off('exit', unlock);
    rmSync(lock, { force: true });
    heldHere.delete(lock);
  };
  process.on('exit', unlock);
  return { path: (name) => join(dir, name), unlock };
}

function takeLock(lock: string, dir: string): void {
  if (createLock(lock)) return;
  const holder = Number(readFileSync(lock, 'utf8'));
  // In a container that was started again, a lock left behind may well name this very process.
  if (isRunning(holder) && (holder !== process.pid || heldHere.has(lock))) {
    throw new StartError(
      `${dir} is used by process ${holder}; stop it first, or remove ${lock} if it is not a local stack`,
    );
  }
  rmSync(lock, { force: true });
  if (!createLock(lock)) throw new StartError(`${dir} was taken by another stack just now`);
}

function createLock(lock: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx' });
    heldHere.add(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0) && !isZombie(pid);
  } catch (error) {
    // A process of another user is running too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** True for a process that was killed and that nobody has asked about since, as happens in containers for good. */
function isZombie(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  // The state follows the command's name, which stands in parentheses and may hold some itself (man proc_pid_stat).
  return existsSync(stat) && /\) Z [^)]*$/.test(readFileSync(stat, 'utf8'));
}
