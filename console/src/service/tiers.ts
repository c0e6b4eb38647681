import { TIER } from '../../../client/src/api/generated.ts';
import type { Tier } from '../../../client/src/index.ts';

/** Returns whether a rotation makes all older ciphertext unreadable immediately. */
export const losesAllOnRotation = (tier: Tier): boolean => TIER[tier].retainedVersions === 1;
