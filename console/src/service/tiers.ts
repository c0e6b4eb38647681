import { TIER } from '../../../client/src/api/generated.ts';
import type { Tier } from '../../../client/src/index.ts';

/** Whether a rotation makes all older ciphertext unreadable at once. */
export const losesAllOnRotation = (tier: Tier): boolean => TIER[tier].retainedVersions === 1;
