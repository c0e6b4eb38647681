import { fstatSync, readSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { isatty } from 'node:tty';
import { EXIT, Failure } from './failure.ts';

export type Kind = 'file' | 'device' | 'terminal' | 'pipe' | 'socket';

/**
 * Returns what a file descriptor refers to. Throws a {@link Failure} for any other kind: Node treats it as an empty
 * input, and discards what is written to it.
 */
export function kindOf(fd: number, name: string): Kind {
  const found = fstatSync(fd);
  if (found.isFile()) return 'file';
  if (isatty(fd)) return 'terminal';
  if (found.isCharacterDevice()) return 'device';
  if (found.isFIFO()) return 'pipe';
  if (found.isSocket()) return 'socket';
  const is = found.isDirectory() ? 'is a directory' : 'is a block device';
  throw unusable(name, `${is}; use a file, a pipe, a socket, a terminal or a character device`);
}

export function unusable(name: string, why: string): Failure {
  return new Failure(EXIT.local, 'file_error', `${name}: ${why}`);
}

/**
 * Throws a {@link Failure} if a standard stream was closed when the program started. Node then opens the null device for
 * reading and writing, as a program does that starts `esk` with its `DEVNULL`. A shell opens it for one of them.
 */
export function refuseClosed(fd: 0 | 1, name: string): void {
  const found = fstatSync(fd);
  if (!found.isCharacterDevice() || found.rdev !== statSync(devNull).rdev) return;
  try {
    // The null device accepts nothing and has nothing to read, so only the permissions matter.
    if (fd === 0) writeSync(fd, new Uint8Array());
    else readSync(fd, new Uint8Array(1));
  } catch {
    return;
  }
  throw unusable(name, 'is closed, or is the null device opened for reading and writing');
}

/** Throws a {@link Failure} for a name that is not UTF-8: Node has replaced a part of it, so it names another file. */
export function refuseUnreadableName(path: string): void {
  if (path.includes('\ufffd'))
    throw unusable(path, 'is a name that is not valid UTF-8; rename the file, or use a pipe');
}
