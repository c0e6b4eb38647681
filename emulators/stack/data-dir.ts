import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../base/lock-file.ts';
import { StartError } from '../base/start-error.ts';

const LOCK_NAME = 'lock';

/** The directory where a stack keeps its state between runs. */
export interface DataDir {
  /** The path of a file or folder in it. */
  path(name: string): string;
  /** Lets another stack use the directory. */
  unlock(): void;
}

/** How to open a {@link DataDir}. */
export interface DataDirOptions {
  /** Whether to remove what is in it. */
  readonly fresh: boolean;
}

/**
 * Makes the directory where it is missing, and locks it. Throws {@link StartError} while a running stack has the lock;
 * one left by a stack that was killed is taken over.
 */
export function openDataDir(dir: string, options: DataDirOptions): DataDir {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, LOCK_NAME);
  const lock = takeLock(file);
  if ('holder' in lock) {
    throw new StartError(
      `Process ${lock.holder} uses ${dir}. Stop it first, or delete ${file} if that process is not a local stack`,
    );
  }
  if (options.fresh) {
    for (const name of readdirSync(dir)) if (name !== LOCK_NAME) rmSync(join(dir, name), { recursive: true });
  }
  return { path: (name) => join(dir, name), unlock: lock.release };
}
