import { LRUCache } from 'lru-cache';
import type { Identified } from '../../shared/auth/identify.ts';
import type { ApiKeyId, KeyId } from '../../shared/base/ids.ts';
import { prefetch } from '../../shared/base/prefetch.ts';
import type { KeyLookup } from '../../shared/http/key-lookup.ts';
import { isLive, KEYS, type Key } from '../../shared/keys/key.ts';
import type { Services } from '../../shared/services.ts';
import type { ApiKeyCaller } from '../../shared/tenancy/caller.ts';
import { CLAIMS, nameClaim } from '../../shared/tenancy/claim.ts';

/** The number of remembered names. Each entry has a name of up to 128 characters and two ids. */
const NAMES_KEPT = 10_000;

/** The key that each name last referred to, per API key. Ids are unique, so one map is enough for all stores. */
const lastFound = new LRUCache<string, KeyId>({ max: NAMES_KEPT });

/**
 * Finds a live key by its name in the API key's container. The lookup needs two reads in sequence: first the name, then
 * the key. To save time, it reads the key that the name last referred to together with the name. If this key is live,
 * is in the container and still has the name, it is the right key, because names are unique.
 */
export const byName: KeyLookup = ({ store }, name, credential) => {
  const likelyId = credential.kind === 'api_key' ? lastFound.get(entry(credential.apiKeyId, name)) : undefined;
  const read = async (identified: Promise<Identified>): Promise<Key | undefined> => {
    const likely = likelyId && prefetch(store.find(KEYS, likelyId));
    const { identity } = await identified;
    return identity.kind === 'api_key' ? findByName(store, identity, name, await likely) : undefined;
  };
  return { isWellFormed: true, keyId: undefined, likelyId, read, missing: 'encryption key not found' };
};

/** Returns the live key with the name in the API key's container. `likely` is a guess that saves the reads. */
export async function findByName(
  store: Services['store'],
  caller: ApiKeyCaller,
  name: string,
  likely?: Key,
): Promise<Key | undefined> {
  if (likely !== undefined && isNamed(likely, caller, name)) return likely;
  const claim = await store.find(CLAIMS, nameClaim('key', caller.containerId, name));
  const key = claim && (await store.find(KEYS, claim.holder));
  if (key === undefined || !isNamed(key, caller, name)) return undefined;
  lastFound.set(entry(caller.apiKeyId, name), key.id);
  return key;
}

function isNamed(key: Key, { containerId }: ApiKeyCaller, name: string): boolean {
  return isLive(key) && key.container_id === containerId && key.name === name;
}

function entry(apiKeyId: ApiKeyId, name: string): string {
  return `${apiKeyId} ${name}`;
}
