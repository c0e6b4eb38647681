import { TIER } from '../../../client/src/api/generated.ts';
import type { Tier } from '../../../client/src/index.ts';

/** Returns whether a rotation immediately makes all older ciphertext unreadable. */
export const losesAllOnRotation = (tier: Tier): boolean => TIER[tier].retainedVersions === 1;
