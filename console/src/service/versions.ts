import { TIER } from '../../../client/src/api/generated.ts';
import type { Key } from '../../../client/src/index.ts';

type Version = Key['versions'][number];

/**
 * Returns the versions that the next rotation would retire. These are the oldest enabled versions, if there are more
 * than the tier keeps.
 */
export function retiredByRotation({ tier, versions }: Key): Version[] {
  const enabled = versions.filter(({ state }) => state === 'enabled').sort((a, b) => b.version - a.version);
  return enabled.slice(TIER[tier].retainedVersions - 1);
}
