import type { Identified, PresentedCredential } from '../auth/identify.ts';
import { type KeyId, parseId } from '../base/ids.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { Services } from '../services.ts';

export interface NamedKey {
  readonly isWellFormed: boolean;
  readonly keyId: KeyId | undefined;
  /** The message of the error if the caller can reach no such key. */
  readonly missing?: string;
  /** The id that the key probably has, to read data early. No decision depends on it. */
  readonly likelyId: KeyId | undefined;
  /** Reads the stored key. Does not check that the key belongs to the caller's tenant. */
  read(identified: Promise<Identified>): Promise<Key | undefined>;
}

/** Finds the key that a path names. `text` is the id or name in the path, percent-decoded. */
export type KeyLookup = (services: Pick<Services, 'store'>, text: string, credential: PresentedCredential) => NamedKey;

export const byId: KeyLookup = ({ store }, text) => {
  const keyId = parseId<KeyId>(text);
  const read = async () => (keyId === undefined ? undefined : store.find(KEYS, keyId));
  return { isWellFormed: keyId !== undefined, keyId, likelyId: keyId, read };
};

/** For routes that create a key: there is no key to read. */
export const newKey: KeyLookup = () => {
  return { isWellFormed: true, keyId: undefined, likelyId: undefined, read: async () => undefined };
};
