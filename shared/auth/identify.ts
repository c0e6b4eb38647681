import { ahead } from '../base/ahead.ts';
import type { Env } from '../env.ts';
import type { Request } from '../http/request.ts';
import type { Token } from '../tenancy/token.ts';
import {
  asCaller,
  asMember,
  authenticateApiKey,
  authenticatePerson,
  noteUse,
  refuseOutsideFirewall,
} from './authenticate.ts';
import type { Identity, Person } from './caller.ts';
import { readCredential } from './credential.ts';

/** What a request's credential says by itself: which API key it is to be, or who is signed in, which is proved. */
export type Claim =
  | { readonly kind: 'api_key'; readonly token: Token }
  | { readonly kind: 'person'; readonly person: Person };

/** A proved credential, and the firewall's word on it: to be awaited before anything else is decided. */
export interface Identified {
  readonly identity: Identity;
  readonly firewall: Promise<void>;
}

/** What the request's credential claims. It reads nothing that is stored: an access token is verified, and takes its rate token. */
export async function readClaim(env: Env, request: Request): Promise<Claim> {
  const credential = readCredential(env.config, request);
  if (credential.kind === 'api_key') return credential;
  return { kind: 'person', person: await authenticatePerson(env, request, credential.accessToken) };
}

/** Whoever the request's credential resolves to. The firewall's answer may still be on its way. */
export async function identify(env: Env, request: Request, claimed?: Claim): Promise<Identified> {
  const claim = claimed ?? (await readClaim(env, request));
  if (claim.kind === 'person') {
    return { identity: await asMember(env, request, claim.person), firewall: Promise.resolve() };
  }
  const apiKey = await authenticateApiKey(env, request, claim.token);
  const firewall = refuseOutsideFirewall(env, apiKey, request).then(() => noteUse(env, apiKey, request.id));
  return { identity: asCaller(apiKey), firewall: ahead(firewall) };
}
