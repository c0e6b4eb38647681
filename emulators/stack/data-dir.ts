import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from './lock-file.ts';
import { StartError } from './start-error.ts';

const lockName = 'lock';

/** Where a stack keeps its state between runs. */
export type DataDir = {
  /** The path of a file or folder inside. */
  readonly path: (name: string) => string;
  /** Lets another stack use the directory. */
  readonly unlock: () => void;
};

/**
 * Makes the directory, locks it and, when asked, forgets what is in it.
 * Throws {@link StartError} while another stack that runs has the lock; a lock left by one that was killed is taken.
 */
export function openDataDir(dir: string, options: { fresh: boolean }): DataDir {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, lockName);
  const lock = takeLock(file);
  if ('holder' in lock) {
    throw new StartError(
      `${dir} is used by process ${lock.holder}; stop it first, or remove ${file} if it is not a local stack`,
    );
  }
  if (options.fresh) {
    for (const name of readdirSync(dir)) if (name !== lockName) rmSync(join(dir, name), { recursive: true });
  }
  return { path: (name) => join(dir, name), unlock: lock.release };
}
