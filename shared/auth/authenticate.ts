import type { ApiKeyId, FirewallId } from '../base/ids.ts';
import { ApiError, unauthorized } from '../errors.ts';
import type { Services } from '../services.ts';
import { API_KEYS, type ApiKey } from '../tenancy/api-key.ts';
import type { ApiKeyCaller, Newcomer, Person, SessionCaller } from '../tenancy/caller.ts';
import { FIREWALLS } from '../tenancy/firewall.ts';
import { isInNetworks, plainAddress } from '../tenancy/networks.ts';
import { SUBJECTS } from '../tenancy/tenant.ts';
import type { AuthRequest } from './auth-request.ts';
import type { PresentedSecret } from './secrets.ts';

export interface PresentedApiKey {
  readonly kind: 'api_key';
  readonly apiKeyId: ApiKeyId;
  readonly secret: PresentedSecret;
}

/** Authenticates an API key. Checks in order: API key, rate limit, queue length, secret, requests in flight. */
export async function authenticateApiKey(
  { store, secrets, rateLimit }: Pick<Services, 'store' | 'secrets' | 'rateLimit'>,
  { inFlight }: AuthRequest,
  { apiKeyId, secret }: PresentedApiKey,
): Promise<ApiKey> {
  const apiKey = await store.find(API_KEYS, apiKeyId);
  if (apiKey === undefined || apiKey.revoked_at !== null) throw unauthorized();
  if (!inFlight.isOf(apiKey.id) && !rateLimit.take(apiKey.id)) throw rateLimited();
  if (!(await secrets.verify(apiKey.tenant_id, apiKey.secret_hash, secret))) throw unauthorized();
  inFlight.takeFor('api key', apiKey.id);
  inFlight.takeFor('tenant', apiKey.tenant_id);
  return apiKey;
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

export function asCaller(apiKey: ApiKey): ApiKeyCaller {
  return {
    kind: 'api_key',
    tenantId: apiKey.tenant_id,
    containerId: apiKey.container_id,
    apiKeyId: apiKey.id,
    name: apiKey.name,
    allowedActions: apiKey.allowed_actions,
    keyIds: apiKey.key_ids,
    firewallId: apiKey.firewall_id,
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
