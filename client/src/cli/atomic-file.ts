import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Files that are being written, which a signal must not leave behind. */
const unfinished = new Set<string>();

/** What a file that exists keeps when its content is replaced; a new file has none of it. */
type Kept = { readonly mode: number; readonly uid: number; readonly gid: number } | undefined;

/**
 * Writes a file whole or not at all: beside it first, readable to its owner alone, and in its place once everything is on
 * the disk. A symbolic link stays one. What is no regular file (a device, a named pipe) is written to as it is.
 *
 * @param mode of a file that is not there yet, less the umask; one that is there keeps its own
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>, mode = 0o666): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const existing = await stat(target).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) return writeThrough(path, chunks);
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
  unfinished.add(temporary);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      for await (const chunk of chunks) await file.writeFile(chunk);
      await keep(file, existing ?? undefined, mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
    await syncFolder(dirname(target));
  } catch (error) {
    await rm(temporary, { force: true });
    throw isOf(temporary, error) ? Object.assign(error, { path }) : error;
  } finally {
    unfinished.delete(temporary);
  }
}

/** Writes a text as {@link writeWhole} does. */
export async function writeText(path: string, text: string, mode: number): Promise<void> {
  const chunks = async function* () {
    yield new TextEncoder().encode(text);
  };
  await writeWhole(path, chunks(), mode);
}

/** Lets signals that end the program remove what it has not finished. */
export function cleanUpOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      for (const path of unfinished) rmSync(path, { force: true });
      process.kill(process.pid, signal);
    });
  }
}

/** Whether a system call failed for that path, which nobody but this program knows. */
function isOf(path: string, error: unknown): error is Error {
  return error instanceof Error && 'path' in error && error.path === path;
}

async function writeThrough(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w');
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

async function keep(file: FileHandle, existing: Kept, mode: number): Promise<void> {
  if (existing === undefined) return file.chmod(mode & ~process.umask());
  // Another owner can only be kept by who may give files away; where that fails, the file is the caller's.
  await file.chown(existing.uid, existing.gid).catch(() => undefined);
  await file.chmod(existing.mode & 0o7777);
}

/** A rename is on the disk when its folder is; some file systems have no such thing to ask for. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
