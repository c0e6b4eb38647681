import type { Identified, PresentedCredential } from '../auth/identify.ts';
import { type KeyId, parseId } from '../base/ids.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { Services } from '../services.ts';

/** What a path says about the key that it names. */
export interface NamedKey {
  /** Whether any key can have this name. */
  readonly isWellFormed: boolean;
  /** The key's id, if the path spells it. */
  readonly keyId: KeyId | undefined;
  /** An id to read ahead with. Nothing is decided on it. */
  readonly likelyId: KeyId | undefined;
  /** Reads the stored key, whichever tenant it belongs to. */
  read(identified: Promise<Identified>): Promise<Key | undefined>;
}

/** How a route's path names its key. `text` is that part of the path, percent-decoded. */
export type KeyLookup = (services: Pick<Services, 'store'>, text: string, credential: PresentedCredential) => NamedKey;

/** By `{id}`, a UUID. */
export const byId: KeyLookup = ({ store }, text) => {
  const keyId = parseId<KeyId>(text);
  const read = async () => (keyId === undefined ? undefined : store.find(KEYS, keyId));
  return { isWellFormed: keyId !== undefined, keyId, likelyId: keyId, read };
};

/** Of a route that creates the key. */
export const newKey: KeyLookup = () => {
  return { isWellFormed: true, keyId: undefined, likelyId: undefined, read: async () => undefined };
};
