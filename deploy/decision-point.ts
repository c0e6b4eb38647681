import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import { IMAGES } from './names.ts';

const POLICIES = join(import.meta.dirname, '../policies');

/** The decision point's image, tagged by what is in it: the same policies are the same image, and a rollback finds its own. */
export function decisionPointImage({ project, region }: Deployment): string {
  const hash = createHash('sha256');
  for (const file of globSync('**/*', { cwd: POLICIES, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const path = join(file.parentPath, file.name);
    hash
      .update(`${path.slice(POLICIES.length)}\0`)
      .update(readFileSync(path))
      .update('\0');
  }
  return `${region}-docker.pkg.dev/${project}/${IMAGES}/decision-point:${hash.digest('hex').slice(0, 12)}`;
}
