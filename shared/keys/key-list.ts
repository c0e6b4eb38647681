import { type ContainerId, type KeyId, parseId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { isLive, KEYS } from './key.ts';

export const KEY_LIST_LENGTH = 100;

/**
 * Parses ids and removes duplicates. Throws `invalid_key_ids` unless they are the ids of 1 to 100 live keys of the
 * container.
 */
export async function parseKeyList(store: Store, containerId: ContainerId, texts: readonly string[]): Promise<KeyId[]> {
  if (texts.length === 0 || texts.length > KEY_LIST_LENGTH) throw invalidKeyIds();
  const ids = new Set(
    texts.map((text) => {
      const id = parseId<KeyId>(text);
      if (id === undefined) throw invalidKeyIds();
      return id;
    }),
  );
  const keys = await store.findAll(KEYS, [...ids]);
  return keys.map((key) => {
    if (key === undefined || !isLive(key) || key.container_id !== containerId) throw invalidKeyIds();
    return key.id;
  });
}

function invalidKeyIds(): ApiError {
  return new ApiError('invalid_key_ids', "key_ids must list 1 to 100 live keys in the api key's container");
}
