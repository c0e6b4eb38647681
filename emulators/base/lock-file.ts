import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const heldHere = new Set<string>();

/** A lock that this process holds until it releases it or exits. */
export interface Lock {
  release(): void;
}

/** The process that holds a lock. */
export interface LockHolder {
  /** Its process id. */
  readonly holder: number;
}

/**
 * Takes a lock: a file that holds the process id of its holder. A lock whose holder no longer runs is taken over.
 * Returns the holder where it runs.
 */
export function takeLock(file: string): Lock | LockHolder {
  if (create(file)) return hold(file);
  const holder = holderOf(file);
  // In a container that was started again, a lock left behind may well name this very process.
  if (holder !== undefined && isRunning(holder) && (holder !== process.pid || heldHere.has(file))) return { holder };
  rmSync(file, { force: true });
  return create(file) ? hold(file) : { holder: holderOf(file) ?? 0 };
}

/** Whether a process of that id runs; one that has ended and was not waited for (a zombie) does not. */
export function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0) && !isZombie(pid);
  } catch (error) {
    // A process of another user is running too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function create(file: string): boolean {
  // Linked, not written in place: a lock file that another process finds must hold the holder's id already.
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

/** `undefined` when the lock has been released meanwhile. */
function holderOf(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** In a container without an init process, a killed process stays a zombie. */
function isZombie(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  // The state follows the command's name, which is in parentheses and may contain some itself (man proc_pid_stat).
  return existsSync(stat) && /\) Z [^)]*$/.test(readFileSync(stat, 'utf8'));
}
