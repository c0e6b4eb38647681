import { type KeyId, parseId } from '../base/ids.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { RequestReads } from '../store/early-reads.ts';
import type { Caller } from '../tenancy/caller.ts';

/** How a path names a key. `text` is the id or name in the path, percent-decoded. */
export interface KeyLookup {
  /** Returns the id that the path contains, if it contains one, or `undefined` if the text is malformed. */
  parse(text: string): { readonly keyId?: KeyId } | undefined;
  /** Reads the key. Does not check whether the caller can reach it. */
  find(reads: RequestReads, caller: Caller, text: string): Promise<Key | undefined>;
  /** The message of the error if the caller can reach no such key. */
  readonly missing?: string;
}

export const byId: KeyLookup = {
  parse(text) {
    const keyId = parseId<KeyId>(text);
    return keyId && { keyId };
  },
  async find(reads, _caller, text) {
    const keyId = parseId<KeyId>(text);
    return keyId && reads.find(KEYS, keyId);
  },
};
