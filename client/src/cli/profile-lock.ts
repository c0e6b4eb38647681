import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Failure } from './failure.ts';
import { tell } from './terminal.ts';

/** A lock whose time differs by more milliseconds from the clock belongs to a killed program. */
const STALE_MS = 30_000;
const RENEW_MS = 10_000;
const RETRY_MS = 50;
const SAY_AFTER_MS = 2000;
const GIVE_UP_AFTER_MS = 60_000;

/** How a program waits for a lock. */
interface Wait {
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly tell: (line: string) => void;
}

const WAIT: Wait = { now: () => performance.now(), pause, tell };

/**
 * Runs a task while no other program runs a task on the same folder. Two programs must not use the same refresh token:
 * the identity provider would assume theft and end the sign-in (RFC 9700 §4.14.2). Throws a {@link Failure} after a
 * minute.
 */
export async function withProfileLock<T>(folder: string, task: () => Promise<T>, wait = WAIT): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'lock');
  const start = wait.now();
  let isSaid = false;
  while (!(await take(lock))) {
    const waited = wait.now() - start;
    if (waited >= GIVE_UP_AFTER_MS) {
      throw new Failure(
        EXIT.local,
        'locked',
        `${lock}: another esk has used the profile for a minute; if none is running, remove this folder`,
      );
    }
    if (waited >= SAY_AFTER_MS && !isSaid) wait.tell(`Waiting for another esk to finish with the profile (${lock}).`);
    isSaid ||= waited >= SAY_AFTER_MS;
    await wait.pause(RETRY_MS);
  }
  const owners = await ownersOf(lock);
  const renewal = setInterval(() => touch(lock).catch(() => undefined), RENEW_MS).unref();
  try {
    return await task();
  } finally {
    clearInterval(renewal);
    // If this program was suspended for long, another program may have taken the lock over. A lock that cannot be
    // removed becomes stale, so it must not hide the result of the task.
    if ((await ownersOf(lock)) === owners) await rm(lock, { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Creates the lock as a folder, because on every file system only one program can create a folder. A random name in it
 * distinguishes the lock from earlier ones.
 */
async function take(lock: string): Promise<boolean> {
  if (!(await create(lock))) return takeOver(lock);
  await create(join(lock, randomUUID())).catch(() => false);
  // A file server sets the time by its own clock. If that clock is wrong, the new lock would seem stale.
  await touch(lock).catch(() => undefined);
  return true;
}

async function create(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Takes a stale lock over. Of several programs only one can create the folder that is named after the time of the lock.
 * This also sets a new time.
 */
async function takeOver(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined || Math.abs(Date.now() - found.mtimeMs) <= STALE_MS) return false;
  const claim = join(lock, String(found.mtimeMs));
  if (!(await create(claim).catch(() => false))) return false;
  // Meanwhile, another program may have removed the stale lock and created its own.
  const now = await stat(lock).catch(() => undefined);
  if (now?.ino === found.ino && now.birthtimeMs === found.birthtimeMs) {
    await touch(lock);
    return true;
  }
  await rmdir(claim).catch(() => undefined);
  return false;
}

async function touch(lock: string): Promise<void> {
  const now = new Date();
  await utimes(lock, now, now);
}

/** Returns the names of all programs that have created the lock or taken it over. */
async function ownersOf(lock: string): Promise<string> {
  return (await readdir(lock).catch(() => [])).toSorted().join();
}
