import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../base/lock-file.ts';
import { StartError } from '../base/start-error.ts';

const LOCK_NAME = 'lock';

export interface DataDir {
  path(name: string): string;
  unlock(): void;
}

export interface DataDirOptions {
  /** Whether to delete the existing contents of the directory. */
  readonly fresh: boolean;
}

/** Opens and locks the directory. Throws {@link StartError} if another running stack holds the lock. */
export function openDataDir(dir: string, options: DataDirOptions): DataDir {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, LOCK_NAME);
  const lock = takeLock(file);
  if ('holder' in lock) {
    throw new StartError(
      `Process ${lock.holder} uses ${dir}. Stop it first, or add --ephemeral to start without that folder. If the process is not a local stack, delete ${file}`,
    );
  }
  if (options.fresh) {
    for (const name of readdirSync(dir)) if (name !== LOCK_NAME) rmSync(join(dir, name), { recursive: true });
  }
  return { path: (name) => join(dir, name), unlock: lock.release };
}
