import { WorkloadError } from './error.ts';
import { findFileSystem } from './node.ts';

/**
 * Returns a function that reads a token from the file, without the white space around it. It rejects with the system's
 * error if the file cannot be read.
 */
export function fileToken(path: string): () => Promise<string> {
  return async () => {
    const files = await findFileSystem();
    if (files === undefined) throw new WorkloadError('unavailable', 'a file can be read only in Node');
    const token = (await files.readFile(path, 'utf8')).trim();
    if (token === '') throw new WorkloadError('unreadable', `${path} has no token`);
    return token;
  };
}
