import type { Claim, Identified } from '../auth/identify.ts';
import type { IdentifyNeeds } from '../auth/needs.ts';
import { type KeyId, parseId } from '../base/ids.ts';
import { KEYS, type Key } from '../keys/key.ts';
import type { KeyNames } from '../keys/key-names.ts';

/** What a path says of the key that it is about. */
export interface Sought {
  /** Whether it can be any key's at all: step 6. */
  readonly isWellFormed: boolean;
  /** The id, where the path spells one. */
  readonly keyId: KeyId | undefined;
  /** The id that it is likely to be, to ask early by: nothing is decided on it. */
  readonly likelyId: KeyId | undefined;
  /** Reads the key that is stored there, whoever's it is. Whose the request is may still be on its way. */
  readonly read: (identified: Promise<Identified>) => Promise<Key | undefined>;
}

/** What a key is looked up by. */
interface Asking {
  /** The part of the path that names it, percent-decoded. */
  readonly text: string;
  /** Whose the request says it is. */
  readonly claim: Claim;
}

/** How a route's path names its key. */
export type KeyFinder<Needs> = (needs: Needs, asking: Asking) => Sought;

const ABSENT = Promise.resolve(undefined);

/** By `{id}`: a UUID. It is read with the credential, before the caller is known. */
export const byId: KeyFinder<IdentifyNeeds> = ({ store }, { text }) => {
  const keyId = parseId<KeyId>(text);
  const read = () => (keyId === undefined ? ABSENT : store.find(KEYS, keyId));
  return { isWellFormed: keyId !== undefined, keyId, likelyId: keyId, read };
};

/** What it takes to find keys by their names. */
export interface NamingNeeds {
  readonly keyNames: KeyNames;
}

/** By `{name}`: the key's name in the API key's container. Where the name was found before, the key is read with the credential. */
export const byName: KeyFinder<NamingNeeds> = ({ keyNames }, { text, claim }) => {
  const likelyId = claim.kind === 'api_key' ? keyNames.recall(claim.apiKeyId, text) : undefined;
  const read = async (identified: Promise<Identified>): Promise<Key | undefined> => {
    const early = likelyId && keyNames.read(likelyId);
    const { identity } = await identified;
    return identity.kind === 'api_key' ? keyNames.find(identity, text, await early) : undefined;
  };
  return { isWellFormed: true, keyId: undefined, likelyId, read };
};
