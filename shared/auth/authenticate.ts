import { SECOND_US } from '../base/clock.ts';
import type { ApiKeyId } from '../base/ids.ts';
import type { Env } from '../env.ts';
import { ApiError, unauthorized } from '../errors.ts';
import { clientAddress, type Request } from '../http/request.ts';
import { API_KEYS, type ApiKey } from '../tenancy/api-key.ts';
import { FIREWALLS } from '../tenancy/firewall.ts';
import { SUBJECTS } from '../tenancy/tenant.ts';
import type { Token } from '../tenancy/token.ts';
import type { ApiKeyCaller, Newcomer, Person, SessionCaller } from './caller.ts';
import { isInNetworks, plainAddress } from './networks.ts';

/** `last_used_at` may lag by a minute: it is written when it is older than this. */
const LAST_USED_STEP_US = 30 * SECOND_US;

/** The live API key that a token proves. In order: prefix, rate token, room for a check, secret, room among its requests in flight. */
export async function authenticateApiKey(env: Env, request: Request, token: Token): Promise<ApiKey> {
  const apiKey = await env.store.find(API_KEYS, token.apiKeyId);
  if (apiKey === undefined || apiKey.revoked_at !== null) throw unauthorized();
  takeRateToken(env, request, apiKey.id);
  if (!(await env.secrets.verify(apiKey.tenant_id, apiKey.secret_hash, token.secret))) throw unauthorized();
  request.share.takeFor('api key', apiKey.id);
  request.share.takeFor('tenant', apiKey.tenant_id);
  return apiKey;
}

/** Refuses (`ip_not_allowed`) an API key outside its firewall's networks, as they are now. */
export async function refuseOutsideFirewall(env: Env, apiKey: ApiKey, request: Request): Promise<void> {
  if (apiKey.firewall_id === null) return;
  const firewall = await env.store.find(FIREWALLS, apiKey.firewall_id);
  const address = clientAddress(request.message, env.config) ?? '';
  if (firewall !== undefined && isInNetworks(firewall.allowed_ips, address)) return;
  throw new ApiError(
    'ip_not_allowed',
    `this api key may not be used from ${plainAddress(address) || 'an unknown address'}`,
  );
}

/** The API key as the caller that it speaks for. */
export function asCaller(apiKey: ApiKey): ApiKeyCaller {
  return {
    kind: 'api_key',
    tenantId: apiKey.tenant_id,
    containerId: apiKey.container_id,
    apiKeyId: apiKey.id,
    allowedActions: apiKey.allowed_actions,
    keyIds: apiKey.key_ids,
  };
}

/** API keys whose use is being noted. Of many requests in flight one notes it for all, so that their writes do not contend. */
const beingNoted = new Set<ApiKeyId>();

/** Notes that the API key was used. A failure to note it fails no request. */
export async function noteUse(env: Env, apiKey: ApiKey, requestId: string): Promise<void> {
  const now = env.clock.now();
  if (apiKey.last_used_at !== null && Math.abs(now - apiKey.last_used_at) < LAST_USED_STEP_US) return;
  if (beingNoted.has(apiKey.id)) return;
  beingNoted.add(apiKey.id);
  try {
    await env.store.write((writes) => writes.setInstant(API_KEYS, apiKey.id, 'last_used_at', now));
  } catch (error) {
    const fields = { request_id: requestId, api_key_id: apiKey.id };
    env.log.write('WARNING', 'last_used_at was not written', fields, error);
  } finally {
    beingNoted.delete(apiKey.id);
  }
}

/** The person behind an access token. In order: token, rate token, room among their requests in flight. */
export async function authenticatePerson(env: Env, request: Request, accessToken: string): Promise<Person> {
  if (env.sessions === undefined) throw unauthorized();
  const person = await env.sessions.verify(accessToken);
  takeRateToken(env, request, person.subjectId);
  request.share.takeFor('user', person.subjectId);
  return person;
}

/** A person with the tenant they belong to, if any. */
export async function asMember(env: Env, request: Request, person: Person): Promise<SessionCaller | Newcomer> {
  const subject = await env.store.find(SUBJECTS, person.subjectId);
  if (subject === undefined) return { kind: 'newcomer', person };
  request.share.takeFor('tenant', subject.tenant_id);
  return { kind: 'session', tenantId: subject.tenant_id, userId: subject.user_id, person };
}

/** Takes the sender's rate token, one for a request: where it is known to be theirs, it was taken. */
function takeRateToken(env: Env, request: Request, sender: string): void {
  if (!request.share.isOf(sender) && !env.rateLimit.take(sender)) throw rateLimited();
}

/** `429`: the interface fixes one message for the code, users of the console included. */
function rateLimited(): ApiError {
  return new ApiError('rate_limited', 'too many requests for this api key');
}
