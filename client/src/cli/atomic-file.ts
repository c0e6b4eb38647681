import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kindOf, refuseUnreadableName } from './descriptor.ts';
import { EXIT, Failure } from './failure.ts';

/** The paths of unfinished files. If a signal ends the program, these files are removed first. */
const unfinished = new Set<string>();

/** The longest wait after a signal. */
const LAST_WORK_MS = 5_000;

type Kept = { readonly mode: number; readonly uid: number; readonly gid: number } | undefined;

/** A file that is written under a random name in the target's folder, and moved to the target when it is complete. */
export class UnfinishedFile {
  readonly #target: string;
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(target: string, path: string, file: FileHandle) {
    this.#target = target;
    this.#path = path;
    this.#file = file;
  }

  /**
   * Creates the unfinished file, readable only by its owner. If the target is a link, `finish` replaces the link
   * itself.
   */
  static async begin(target: string): Promise<UnfinishedFile> {
    // Without the target's name, which may have the maximum length.
    const path = join(dirname(target), `.esk-${randomBytes(6).toString('hex')}.part`);
    unfinished.add(path);
    try {
      return new UnfinishedFile(target, path, await open(path, 'wx', 0o600));
    } catch (error) {
      unfinished.delete(path);
      throw at(target, error);
    }
  }

  async write(chunk: Uint8Array | string): Promise<void> {
    await this.#file.writeFile(chunk).catch((error) => {
      throw at(this.#target, error);
    });
  }

  async finish(existing: Kept, mode: number): Promise<void> {
    await keep(this.#file, existing, mode);
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#path, this.#target).catch((error) => {
      throw at(this.#target, error);
    });
    unfinished.delete(this.#path);
    await syncFolder(dirname(this.#target));
  }

  async giveUp(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
    unfinished.delete(this.#path);
  }
}

/**
 * Writes a file completely or not at all. Follows a symbolic link. Writes directly to a device or a named pipe.
 *
 * @param mode the permissions of a new file, before the umask applies; an existing file keeps its permissions
 */
export async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>, mode = 0o666): Promise<void> {
  refuseUnreadableName(path);
  const existing = await stat(path).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) return writeThrough(path, chunks);
  if (existing === undefined) await refuseLink(path);
  const file = await UnfinishedFile.begin(existing === undefined ? path : await realpath(path));
  try {
    for await (const chunk of chunks) await file.write(chunk);
    await file.finish(existing, mode);
  } catch (error) {
    await file.giveUp();
    throw error;
  }
}

/** Throws a {@link Failure} for a link to a missing file, because another user may have made the link as a trap. */
async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isSymbolicLink()) return;
  throw new Failure(
    EXIT.local,
    'file_error',
    `${path}: is a symbolic link to a file that does not exist; remove the link, or use another path`,
  );
}

export async function writeText(path: string, text: string, mode: number): Promise<void> {
  const chunks = async function* () {
    yield new TextEncoder().encode(text);
  };
  await writeWhole(path, chunks(), mode);
}

/**
 * On signals that end the program, waits some seconds for work that must not be interrupted, such as a renewal that has
 * used a refresh token, and removes unfinished files. A second signal ends the program at once.
 */
export function cleanUpOnSignals(workEnded: () => Promise<void>): void {
  let isEnding = false;
  const end = (signal: NodeJS.Signals) => {
    for (const path of unfinished) rmSync(path, { force: true });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (isEnding) return end(signal);
      isEnding = true;
      void Promise.race([workEnded(), sleep(LAST_WORK_MS)]).then(() => end(signal));
    });
  }
}

function at(path: string, error: unknown): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}

async function writeThrough(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'w');
  try {
    kindOf(file.fd, path);
    for await (const chunk of chunks) {
      await file.writeFile(chunk).catch((error) => {
        throw at(path, error);
      });
    }
  } finally {
    await file.close();
  }
}

async function keep(file: FileHandle, existing: Kept, mode: number): Promise<void> {
  if (existing === undefined) return setMode(file, mode & ~process.umask());
  const { uid, gid, mode: before } = existing;
  // Only a privileged user may change a file's owner. For other users, the new file belongs to the user who runs the
  // program, and its group stays if they are a member.
  await file.chown(uid, gid).catch(() => file.chown(-1, gid).catch(() => undefined));
  const isSameGroup = (await file.stat()).gid === gid;
  await setMode(file, before & (isSameGroup ? 0o7777 : 0o5707));
}

const WITHOUT_MODES = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Sets the permissions. Some file systems, such as CIFS, have none to set. There, the file gives nobody more rights: it
 * was created for its owner only, or all files have the permissions of the mount.
 */
async function setMode(file: FileHandle, mode: number): Promise<void> {
  await file.chmod(mode).catch((error) => {
    if (!WITHOUT_MODES.includes(error.code)) throw error;
  });
}

/**
 * Syncs a folder, so that a rename in it survives a power failure. Ignores errors, because some file systems cannot
 * sync folders.
 */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
