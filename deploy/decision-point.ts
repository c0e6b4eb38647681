import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import { IMAGES } from './names.ts';

const POLICIES = join(import.meta.dirname, '../policies');

export function decisionPointRepository({ project, region }: Deployment): string {
  return `${region}-docker.pkg.dev/${project}/${IMAGES}/decision-point`;
}

/**
 * Returns the tag for the image: a hash of the policies. So a rollback to older policies finds the image that contains
 * them.
 */
export function decisionPointTag(): string {
  const hash = createHash('sha256');
  for (const file of globSync('**/*', { cwd: POLICIES, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const path = join(file.parentPath, file.name);
    hash
      .update(`${path.slice(POLICIES.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 12);
}
