import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../base/lock-file.ts';
import { StartError } from '../base/start-error.ts';

const LOCK_NAME = 'lock';
const PROBE_BYTES = 4 * 1024 * 1024;

interface DataDir {
  path(name: string): string;
  unlock(): void;
}

interface DataDirOptions {
  /** Whether to delete the existing contents of the directory. */
  readonly fresh: boolean;
}

/** The codes of errors of a disk on which nothing can be written. */
const CANNOT_WRITE = ['EACCES', 'EDQUOT', 'ENOSPC', 'EPERM', 'EROFS'];

/**
 * Opens and locks the directory. Throws {@link StartError} if another running stack holds the lock. Returns `undefined`
 * if nothing can be written there, and reports it: the stack then runs without saved state.
 */
export function openDataDir(
  dir: string,
  options: DataDirOptions,
  report: (line: string) => void = () => undefined,
): DataDir | undefined {
  try {
    return openWritable(dir, options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['EEXIST', 'ENOTDIR'].includes(code)) {
      throw new StartError(`${dir} is not a folder. Move that file away, or start with --ephemeral`);
    }
    if (!(error instanceof Error && CANNOT_WRITE.includes(code))) throw error;
    report(`Nothing can be written to ${dir} (${error.message}). This run starts without saved state and keeps none.`);
    return undefined;
  }
}

function openWritable(dir: string, options: DataDirOptions): DataDir {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, LOCK_NAME);
  // The lock file is tiny. A disk without room for the state is full as well.
  const probe = join(dir, 'probe');
  try {
    if (!options.fresh) writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
  } finally {
    rmSync(probe, { force: true });
  }
  const lock = takeLock(file);
  if ('holder' in lock) {
    throw new StartError(
      `Process ${lock.holder} uses ${dir}. Stop it first, or add --ephemeral to start without that folder. If the process is not a local stack, delete ${lock.file}`,
    );
  }
  if (options.fresh) {
    for (const name of readdirSync(dir))
      if (!name.startsWith(LOCK_NAME)) rmSync(join(dir, name), { recursive: true, force: true });
  }
  return { path: (name) => join(dir, name), unlock: lock.release };
}
