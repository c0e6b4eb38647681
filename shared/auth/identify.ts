import { prefetch } from '../base/prefetch.ts';
import type { IdentityServices } from '../services.ts';
import type { ApiKey } from '../tenancy/api-key.ts';
import type { Identity, Person } from '../tenancy/caller.ts';
import type { AuthRequest } from './auth-request.ts';
import {
  asCaller,
  asMember,
  authenticateApiKey,
  authenticatePerson,
  type PresentedApiKey,
  refuseOutsideFirewall,
} from './authenticate.ts';
import { readCredential } from './credential.ts';

export type PresentedCredential = PresentedApiKey | { readonly kind: 'person'; readonly person: Person };

export interface Identified {
  readonly identity: Identity;
  /** Rejects with `ip_not_allowed` if the API key's firewall does not allow the client's address. */
  readonly firewall: Promise<void>;
}

/**
 * Returns the request's credential. Verifies a workload's ID token, verifies and rate-limits an access token, but reads
 * no stored data.
 */
export async function presentCredential(
  services: IdentityServices,
  request: AuthRequest,
): Promise<PresentedCredential> {
  const credential = readCredential(request.authorization, services.config);
  if (credential.kind === 'api_key') {
    const { apiKeyId, secret } = credential.token;
    return { kind: 'api_key', apiKeyId, secret: services.secrets.present(secret), idToken: undefined };
  }
  if (credential.kind === 'id_token') {
    const { apiKeyId, text } = credential.idToken;
    const secret = services.secrets.present(text);
    const idToken = await services.idTokens.verify(credential.idToken, secret.digest);
    return { kind: 'api_key', apiKeyId, secret, idToken };
  }
  return { kind: 'person', person: await authenticatePerson(services, request, credential.accessToken) };
}

export async function proveCredential(
  services: IdentityServices,
  request: AuthRequest,
  credential: PresentedCredential,
): Promise<Identified> {
  if (credential.kind === 'person') {
    return { identity: await asMember(services, request, credential.person), firewall: Promise.resolve() };
  }
  const apiKey = await authenticateApiKey(services, request, credential);
  return {
    identity: asCaller(apiKey, credential.idToken),
    firewall: prefetch(passFirewall(services, request, apiKey)),
  };
}

/** Records the use of the API key. If its firewall refuses the request, throws `ip_not_allowed` instead. */
async function passFirewall(services: IdentityServices, request: AuthRequest, apiKey: ApiKey): Promise<void> {
  if (apiKey.firewall_id !== null) await refuseOutsideFirewall(services, request, apiKey.firewall_id);
  if (services.lastUse.isDue(apiKey)) await services.lastUse.note(apiKey, request.id);
}

export async function identify(services: IdentityServices, request: AuthRequest): Promise<Identity> {
  const { identity, firewall } = await proveCredential(services, request, await presentCredential(services, request));
  await firewall;
  return identity;
}
