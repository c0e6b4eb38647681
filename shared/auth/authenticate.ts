import type { ApiKeyId, FirewallId } from '../base/ids.ts';
import { ApiError, unauthorized } from '../errors.ts';
import type { Services } from '../services.ts';
import { API_KEYS, type ApiKey } from '../tenancy/api-key.ts';
import type { ApiKeyCaller, Newcomer, Person, SessionCaller } from '../tenancy/caller.ts';
import { isPast, sooner } from '../tenancy/expiry.ts';
import { hasFederation } from '../tenancy/federation.ts';
import { FIREWALLS } from '../tenancy/firewall.ts';
import { isInNetworks, plainAddress } from '../tenancy/networks.ts';
import { SUBJECTS } from '../tenancy/tenant.ts';
import type { AuthRequest } from './auth-request.ts';
import type { VerifiedIdToken } from './id-tokens.ts';
import type { PresentedSecret } from './secrets.ts';

export interface PresentedApiKey {
  readonly kind: 'api_key';
  readonly apiKeyId: ApiKeyId;
  /** The secret of the API key's token, or the text of a workload's ID token. */
  readonly secret: PresentedSecret;
  /** `undefined` if the caller presented the API key's token. */
  readonly idToken: VerifiedIdToken | undefined;
}

/**
 * Authenticates an API key. Checks in order: API key, federation, rate limit, queue length, secret, requests in flight.
 * For a workload there is no secret to check, and without one there is no federation.
 */
export async function authenticateApiKey(
  services: Pick<Services, 'store' | 'clock' | 'secrets' | 'idTokens' | 'rateLimit'>,
  { inFlight }: AuthRequest,
  presented: PresentedApiKey,
): Promise<ApiKey> {
  const { store, clock, secrets, rateLimit } = services;
  const { apiKeyId, secret, idToken } = presented;
  const apiKey = await store.find(API_KEYS, apiKeyId);
  if (apiKey === undefined || apiKey.revoked_at !== null || isPast(apiKey.expires_at, clock)) throw unauthorized();
  if (idToken === undefined) refuseWithoutToken(apiKey);
  else admitWorkload(services, apiKey, secret, idToken);
  // A flood of wrong secrets must not use up the requests of a workload, so the two have separate limits.
  const bucket = idToken === undefined ? apiKey.id : `workload ${apiKey.id}`;
  if (!inFlight.isOf(apiKey.id) && !rateLimit.take(bucket)) throw rateLimited();
  if (idToken === undefined && !(await secrets.verify(apiKey.tenant_id, apiKey.secret_hash, secret)))
    throw unauthorized();
  inFlight.takeFor('api key', apiKey.id);
  inFlight.takeFor('tenant', apiKey.tenant_id);
  return apiKey;
}

function refuseWithoutToken({ has_token }: ApiKey): void {
  if (!has_token) throw unauthorized();
}

/** Throws `unauthorized` unless a federation of the API key matches the token. */
function admitWorkload(
  { idTokens }: Pick<Services, 'idTokens'>,
  { federations }: ApiKey,
  { digest }: PresentedSecret,
  idToken: VerifiedIdToken,
): void {
  const { issuer, claims } = idToken.token;
  if (!hasFederation(federations, issuer.issuer, claims))
    throw unauthorized(undefined, 'no federation of the API key matches the ID token');
  idTokens.remember(digest, idToken);
}

/** Throws `ip_not_allowed` when the client's address is not in the networks that the firewall allows now. */
export async function refuseOutsideFirewall(
  { store }: Pick<Services, 'store'>,
  { clientAddress = '' }: AuthRequest,
  firewallId: FirewallId,
): Promise<void> {
  const firewall = await store.find(FIREWALLS, firewallId);
  if (firewall !== undefined && isInNetworks(firewall.allowed_ips, clientAddress)) return;
  throw new ApiError(
    'ip_not_allowed',
    `the firewall of this api key does not allow ${plainAddress(clientAddress) || 'an unknown address'}`,
  );
}

export function asCaller(apiKey: ApiKey, idToken: VerifiedIdToken | undefined): ApiKeyCaller {
  return {
    kind: 'api_key',
    tenantId: apiKey.tenant_id,
    containerId: apiKey.container_id,
    apiKeyId: apiKey.id,
    name: apiKey.name,
    allowedActions: apiKey.allowed_actions,
    keyIds: apiKey.key_ids,
    firewallId: apiKey.firewall_id,
    expiresAt: sooner(apiKey.expires_at, idToken?.expiresAt ?? null),
    workload: idToken?.workload ?? null,
  };
}

/** Authenticates a person. Checks in order: access token, rate limit, requests in flight. */
export async function authenticatePerson(
  { accessTokens, rateLimit }: Pick<Services, 'accessTokens' | 'rateLimit'>,
  { inFlight }: AuthRequest,
  accessToken: string,
): Promise<Person> {
  const person = await accessTokens.verify(accessToken);
  if (!inFlight.isOf(person.subjectId) && !rateLimit.take(person.subjectId)) throw rateLimited();
  inFlight.takeFor('user', person.subjectId);
  return person;
}

/** Returns the person's membership, or a `newcomer` for a person without a tenant. */
export async function asMember(
  { store }: Pick<Services, 'store'>,
  { inFlight }: AuthRequest,
  person: Person,
): Promise<SessionCaller | Newcomer> {
  const subject = await store.find(SUBJECTS, person.subjectId);
  if (subject === undefined || subject.membership === null) return { kind: 'newcomer', person };
  const { tenant_id, role } = subject.membership;
  inFlight.takeFor('tenant', tenant_id);
  return { kind: 'session', tenantId: tenant_id, userId: subject.user_id, role, person };
}

/** The message says `api key` to people too, because the API documentation fixes this text. */
export function rateLimited(): ApiError {
  return new ApiError('rate_limited', 'too many requests for this api key');
}
