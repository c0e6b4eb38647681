import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Returns the path of a Node with the given major version: this Node or the first on the search path; `undefined` if no
 * such Node is found.
 */
export function findNode(major: number): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return [process.execPath, ...files].filter(existsSync).find((file) => majorOf(file) === major);
}

function majorOf(file: string): number {
  return Number(execFileSync(file, ['-p', 'parseInt(process.versions.node)'], { encoding: 'utf8' }));
}
