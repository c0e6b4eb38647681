import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A lock that is older than this many milliseconds belongs to a killed program. */
const STALE_MS = 30_000;
const RETRY_MS = 50;

/**
 * Runs a task while no other program runs a task on the same folder. Two programs must not use the same refresh token:
 * the identity provider would assume theft and end the sign-in (RFC 9700 §4.14.2).
 */
export async function withProfileLock<T>(folder: string, task: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'lock');
  while (!(await take(lock))) {
    if (await isStale(lock)) await rm(lock, { recursive: true, force: true });
    else await pause(RETRY_MS);
  }
  try {
    return await task();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Creates the lock as a folder, because on every file system only one program can create a folder. */
async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock, { mode: 0o700 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}
