import { join } from 'node:path';
import type { Deployment } from './deployment.ts';
import { hashFolder } from './folder-hash.ts';
import { IMAGES } from './names.ts';

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
