import { prefetch } from '../base/prefetch.ts';
import type { ApiKey } from '../tenancy/api-key.ts';
import type { Identity, Person } from '../tenancy/caller.ts';
import {
  type ApiKeyClaim,
  asCaller,
  asMember,
  authenticateApiKey,
  authenticatePerson,
  refuseOutsideFirewall,
} from './authenticate.ts';
import { readCredential } from './credential.ts';
import type { IdentifyNeeds } from './needs.ts';
import type { Presented } from './presented.ts';

/** An API key, not yet verified, or a person, verified. */
export type Claim = ApiKeyClaim | { readonly kind: 'person'; readonly person: Person };

/** A verified identity, and its firewall's decision, to be awaited before any other check. */
export interface Identified {
  readonly identity: Identity;
  readonly firewall: Promise<void>;
}

/** Parses the credential without reading stored data; an access token is verified and rate-limited. */
export async function readClaim(needs: IdentifyNeeds, presented: Presented): Promise<Claim> {
  const credential = readCredential(presented.authorization);
  if (credential.kind === 'api_key') {
    const { apiKeyId, secret } = credential.token;
    return { kind: 'api_key', apiKeyId, secret: needs.secrets.present(secret) };
  }
  return { kind: 'person', person: await authenticatePerson(needs, presented, credential.accessToken) };
}

export async function proveClaim(needs: IdentifyNeeds, presented: Presented, claim: Claim): Promise<Identified> {
  if (claim.kind === 'person') {
    return { identity: await asMember(needs, presented, claim.person), firewall: Promise.resolve() };
  }
  const apiKey = await authenticateApiKey(needs, presented, claim);
  return { identity: asCaller(apiKey), firewall: prefetch(passFirewall(needs, presented, apiKey)) };
}

/** Throws what the firewall refuses with; a use that it admits is noted. */
async function passFirewall(needs: IdentifyNeeds, presented: Presented, apiKey: ApiKey): Promise<void> {
  if (apiKey.firewall_id !== null) await refuseOutsideFirewall(needs, presented, apiKey.firewall_id);
  if (needs.lastUse.isDue(apiKey)) await needs.lastUse.note(apiKey, presented.id);
}

/** Resolves the credential to an identity that its firewall admits: steps 3 and 4 of the order of checks. */
export async function identify(needs: IdentifyNeeds, presented: Presented): Promise<Identity> {
  const { identity, firewall } = await proveClaim(needs, presented, await readClaim(needs, presented));
  await firewall;
  return identity;
}
