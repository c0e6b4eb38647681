import type { Claim, Identified } from '../auth/identify.ts';
import type { IdentifyNeeds } from '../auth/needs.ts';
import { type KeyId, parseId } from '../base/ids.ts';
import { prefetch } from '../base/prefetch.ts';
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
  /** The key that is stored there, whoever's it is. */
  readonly stored: Promise<Key | undefined>;
}

/** What a key is looked up by. */
interface Asking {
  /** The part of the path that names it, percent-decoded. */
  readonly text: string;
  /** Whose the request says it is; who that is may still be on its way. */
  readonly claim: Claim;
  readonly identified: Promise<Identified>;
}

/** How a route's path names its key. */
export type KeyFinder<Needs> = (needs: Needs, asking: Asking) => Sought;

/** By `{id}`: a UUID. It is read with the credential, before the caller is known. */
export const byId: KeyFinder<IdentifyNeeds> = ({ store }, { text }) => {
  const keyId = parseId<KeyId>(text);
  const stored = prefetch(Promise.resolve(keyId && store.find(KEYS, keyId)));
  return { isWellFormed: keyId !== undefined, keyId, likelyId: keyId, stored };
};

/** What it takes to find keys by their names. */
export interface NamingNeeds {
  readonly keyNames: KeyNames;
}

/** By `{name}`: the key's name in the API key's container. Where the name was found before, the key is read with the credential. */
export const byName: KeyFinder<NamingNeeds> = ({ keyNames }, { text, claim, identified }) => {
  const asker = claim.kind === 'api_key' ? claim.token.apiKeyId : undefined;
  const likelyId = asker && keyNames.recall(asker, text);
  const early = likelyId && keyNames.read(likelyId);
  const find = async (): Promise<Key | undefined> => {
    const { identity } = await identified;
    return identity.kind === 'api_key' ? keyNames.find(identity, text, await early) : undefined;
  };
  return { isWellFormed: true, keyId: undefined, likelyId, stored: prefetch(find()) };
};
