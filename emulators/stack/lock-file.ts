import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const heldHere = new Set<string>();

/** A lock that this process holds until it lets go or ends. */
export type Lock = { readonly release: () => void };

/**
 * Takes the lock, a file that names the process which holds it: one that was left by a process that is gone is taken.
 * Returns the holder's process id where it runs.
 */
export function takeLock(file: string): Lock | { readonly holder: number } {
  if (create(file)) return hold(file);
  const holder = holderOf(file);
  // In a container that was started again, a lock left behind may well name this very process.
  if (holder !== undefined && isRunning(holder) && (holder !== process.pid || heldHere.has(file))) return { holder };
  rmSync(file, { force: true });
  return create(file) ? hold(file) : { holder: holderOf(file) ?? 0 };
}

/** True while a process has that id, other than one that has ended and that nobody has asked about since. */
export function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0) && !isZombie(pid);
  } catch (error) {
    // A process of another user is running too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function create(file: string): boolean {
  // A link, as whoever finds the lock is to find the holder's name in it.
  const named = `${file}.${process.pid}`;
  writeFileSync(named, `${process.pid}\n`);
  try {
    linkSync(named, file);
    heldHere.add(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(named);
  }
}

function hold(file: string): Lock {
  const release = (): void => {
    process.off('exit', release);
    rmSync(file, { force: true });
    heldHere.delete(file);
  };
  process.on('exit', release);
  return { release };
}

/** Undefined where it has been released meanwhile. */
function holderOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** As happens in containers for good, to a process that was killed. */
function isZombie(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  // The state follows the command's name, which stands in parentheses and may hold some itself (man proc_pid_stat).
  return existsSync(stat) && /\) Z [^)]*$/.test(readFileSync(stat, 'utf8'));
}
