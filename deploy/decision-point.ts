import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import { IMAGES } from './names.ts';

/** Returns a hash of all files in a folder: the first 12 hexadecimal digits of SHA-256 over paths and contents. */
export function hashFolder(folder: string): string {
  const hash = createHash('sha256');
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of files.map((file) => join(file.parentPath, file.name)).sort()) {
    hash
      .update(`${path.slice(folder.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}

const POLICIES = join(import.meta.dirname, '../policies');

/** The name of the image in the repository. */
export const DECISION_POINT = 'decision-point';

export function decisionPointRepository({ project, region }: Deployment): string {
  return `${region}-docker.pkg.dev/${project}/${IMAGES}/${DECISION_POINT}`;
}

/**
 * Returns the tag for the image: a hash of the policies. So a rollback to older policies finds the image that contains
 * them.
 */
export function decisionPointTag(): string {
  return hashFolder(POLICIES);
}
