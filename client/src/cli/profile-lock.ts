import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** An older lock belongs to a killed program. In milliseconds. */
const STALE_MS = 30_000;
const RETRY_MS = 50;

/**
 * Only one program may run a task on a folder. A provider that sees a refresh token twice assumes theft and ends the
 * sign-in (RFC 9700 §4.14.2).
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

/** Only one program can create a folder, on every file system. */
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
