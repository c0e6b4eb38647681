import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const ownLocks = new Set<string>();

interface Lock {
  release(): void;
}

interface LockHolder {
  readonly holder: number;
  /** The file to delete if the holder does not use the lock. */
  readonly file: string;
}

/**
 * Takes a lock and returns it. If a running process holds the lock, returns the id of that process instead. Replaces
 * the lock of a process that has ended.
 */
export function takeLock(file: string): Lock | LockHolder {
  if (create(file)) return hold(file);
  // Only one process at a time may remove an old lock. Otherwise a slower one could remove the lock that replaced it.
  // That one needs a lock, too: its process can end before it has released the lock, and so leave an old lock itself.
  const takeover = takeLock(`${file}.takeover`);
  if ('holder' in takeover) return takeover;
  try {
    const holder = holderOf(file);
    if (holder !== undefined && isHeld(file, holder)) return { holder, file };
    rmSync(file, { force: true });
    return create(file) ? hold(file) : { holder: holderOf(file) ?? 0, file };
  } finally {
    takeover.release();
  }
}

function isHeld(file: string, holder: number): boolean {
  // After a container has restarted, an old lock file can contain the id that this process has now.
  return isRunning(holder) && (holder !== process.pid || ownLocks.has(file));
}

/** Returns whether a process with this id is running. A zombie or a thread does not count as one. */
export function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0) && !isZombieOrThread(pid);
  } catch (error) {
    // The error EPERM means that the process belongs to another user, so it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function create(file: string): boolean {
  // The file is written under another name and then linked, so that no process sees a lock file without an id.
  const named = `${file}.${process.pid}`;
  try {
    writeFileSync(named, `${process.pid}\n`);
    linkSync(named, file);
    ownLocks.add(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(named, { force: true });
  }
}

function hold(file: string): Lock {
  const release = (): void => {
    process.off('exit', release);
    remove(file);
  };
  process.on('exit', release);
  return { release };
}

function remove(file: string): void {
  rmSync(file, { force: true });
  ownLocks.delete(file);
}

function holderOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns whether an id belongs to a zombie or to a thread. In a container without an init process, killed processes
 * stay zombies. On Linux, a signal also finds the thread of another process by its id.
 */
function isZombieOrThread(pid: number): boolean {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return false;
  const status = readFileSync(file, 'utf8');
  return /^State:\tZ/m.test(status) || !status.includes(`\nTgid:\t${pid}\n`);
}
