import { type ContainerId, type KeyId, parseId } from '../base/ids.ts';
import { ApiError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { isLive, KEYS } from './key.ts';

export const KEY_LIST_LENGTH = 100;

/** Returns 1 to 100 ids of live keys of the container, without duplicates. Otherwise throws `invalid_key_ids`. */
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
