import type { Key } from '../../../client/src/index.ts';
import { TIERS } from './tiers.ts';

type Version = Key['versions'][number];

/** The versions that the next rotation would retire: the oldest enabled ones that are past what the tier retains. */
export function retiredByRotation({ tier, versions }: Key): Version[] {
  const enabled = versions.filter(({ state }) => state === 'enabled').sort((a, b) => b.version - a.version);
  return enabled.slice(TIERS[tier].retained - 1);
}
