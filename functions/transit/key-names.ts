import type { KeyLookup } from '../../shared/http/key-lookup.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import type { ApiKeyCaller } from '../../shared/tenancy/caller.ts';
import { CLAIMS, nameClaim } from '../../shared/tenancy/claim.ts';
import type { Parts } from '../needs.ts';

/** Names a live key in the API key's container. */
export const byName: KeyLookup = {
  parse: () => ({}),
  async find(reads, caller, name) {
    if (caller.kind !== 'api_key') return undefined;
    // Names are unique, so if the key that had the name in the last request still has it, the claim need not be read.
    const last = await reads.findExpected(KEYS);
    return last && isNamed(last, caller, name) ? last : findByName(reads, caller, name);
  },
  missing: 'encryption key not found',
};

/** Returns the live key with the name in the API key's container. */
export async function findByName(
  reads: Pick<Parts['store'], 'find'>,
  caller: ApiKeyCaller,
  name: string,
): Promise<Key | undefined> {
  const claim = await reads.find(CLAIMS, nameClaim('key', caller.containerId, name));
  const key = claim && (await reads.find(KEYS, claim.holder));
  return key && isNamed(key, caller, name) ? key : undefined;
}

function isNamed(key: Key, { containerId }: ApiKeyCaller, name: string): boolean {
  return isLive(key) && key.container_id === containerId && key.name === name;
}
