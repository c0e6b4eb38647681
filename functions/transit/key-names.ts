import type { KeyLookup } from '../../shared/http/key-lookup.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import type { Services } from '../../shared/services.ts';
import type { ApiKeyCaller } from '../../shared/tenancy/caller.ts';
import { CLAIMS, nameClaim } from '../../shared/tenancy/claim.ts';

/** Names a live key in the API key's container. */
export const byName: KeyLookup = {
  parse: () => ({}),
  find: async (reads, caller, name) => (caller.kind === 'api_key' ? findByName(reads, caller, name) : undefined),
  missing: 'encryption key not found',
};

/** Returns the live key with the name in the API key's container. */
export async function findByName(
  reads: Pick<Services['store'], 'find'>,
  { containerId }: ApiKeyCaller,
  name: string,
): Promise<Key | undefined> {
  const claim = await reads.find(CLAIMS, nameClaim('key', containerId, name));
  const key = claim && (await reads.find(KEYS, claim.holder));
  return key !== undefined && isLive(key) && key.container_id === containerId && key.name === name ? key : undefined;
}
