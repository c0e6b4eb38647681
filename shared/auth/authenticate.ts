import { prefetch } from '../base/prefetch.ts';
import { ApiError, unauthorized } from '../errors.ts';
import type { Services } from '../services.ts';
import type { EarlyReads, RequestReads } from '../store/early-reads.ts';
import type { Reader } from '../store/store.ts';
import { API_KEYS, type ApiKey } from '../tenancy/api-key.ts';
import type { ApiKeyCaller, Identity, Person } from '../tenancy/caller.ts';
import { FIREWALLS } from '../tenancy/firewall.ts';
import { isInNetworks, plainAddress } from '../tenancy/networks.ts';
import { SUBJECTS } from '../tenancy/tenant.ts';
import type { AuthRequest } from './auth-request.ts';
import { type Credential, readCredential } from './credential.ts';
import type { PresentedSecret } from './secrets.ts';

interface Presented {
  readonly credential: Credential;
  /** The API key's secret or the access token. */
  readonly secret: PresentedSecret;
  readonly reads: RequestReads;
}

/** Who sent the request, if the credential is right. */
type Sender =
  | { readonly kind: 'api_key'; readonly apiKey: ApiKey }
  | { readonly kind: 'person'; readonly person: Person };

/** Parses the credential, and begins the reads of the request `name`. Throws `unauthorized`. */
export function presentCredential(
  { secrets, earlyReads }: { readonly secrets: Pick<Services['secrets'], 'present'>; readonly earlyReads: EarlyReads },
  { authorization }: AuthRequest,
  name: string,
): Presented {
  const credential = readCredential(authorization);
  const secret = secrets.present(credential.kind === 'api_key' ? credential.token.secret : credential.accessToken);
  // The name contains the secret's digest, so only its holder makes the service read more than the API key.
  const reads = earlyReads.begin(`${secret.digest} ${name}`);
  if (credential.kind === 'api_key') prefetch(reads.find(API_KEYS, credential.token.apiKeyId));
  return { credential, secret, reads };
}

/** Throws `unauthorized` for an API key that is unknown or revoked, and for an access token that is not valid. */
export async function findSender(
  { accessTokens }: Pick<Services, 'accessTokens'>,
  { credential, reads }: Pick<Presented, 'credential' | 'reads'>,
): Promise<Sender> {
  if (credential.kind === 'access_token')
    return { kind: 'person', person: await accessTokens.verify(credential.accessToken) };
  const apiKey = await reads.find(API_KEYS, credential.token.apiKeyId);
  if (apiKey === undefined || apiKey.revoked_at !== null) throw unauthorized();
  return { kind: 'api_key', apiKey };
}

/** Takes one token for the request, even if its checks run twice. Throws `rate_limited`. */
export function refuseOverRate(
  { rateLimit }: Pick<Services, 'rateLimit'>,
  { inFlight }: AuthRequest,
  sender: Sender,
): void {
  const id = sender.kind === 'api_key' ? sender.apiKey.id : sender.person.subjectId;
  if (!inFlight.isOf(id) && !rateLimit.take(id)) throw rateLimited();
}

/** Throws `unauthorized`, or `unavailable` if too many secrets are being checked. */
export async function refuseWrongSecret(
  { secrets }: Pick<Services, 'secrets'>,
  sender: Sender,
  secret: PresentedSecret,
): Promise<void> {
  if (sender.kind !== 'api_key') return;
  const { tenant_id, secret_hash } = sender.apiKey;
  if (!(await secrets.verify(tenant_id, secret_hash, secret))) throw unauthorized();
}

/** Counts the request against its sender's and its tenant's requests in flight. Throws `unavailable`. */
export async function identify(reads: Reader, { inFlight }: AuthRequest, sender: Sender): Promise<Identity> {
  if (sender.kind === 'api_key') {
    inFlight.takeFor('api key', sender.apiKey.id);
    inFlight.takeFor('tenant', sender.apiKey.tenant_id);
    return asCaller(sender.apiKey);
  }
  const { person } = sender;
  inFlight.takeFor('user', person.subjectId);
  const subject = await reads.find(SUBJECTS, person.subjectId);
  if (subject === undefined || subject.membership === null) return { kind: 'newcomer', person };
  const { tenant_id, role } = subject.membership;
  inFlight.takeFor('tenant', tenant_id);
  return { kind: 'session', tenantId: tenant_id, userId: subject.user_id, role, person };
}

/** Throws `ip_not_allowed` unless the client's address is in the networks of the API key's firewall. */
export async function refuseOutsideFirewall(
  reads: Reader,
  { clientAddress = '' }: AuthRequest,
  identity: Identity,
): Promise<void> {
  if (identity.kind !== 'api_key' || identity.firewallId === null) return;
  const firewall = await reads.find(FIREWALLS, identity.firewallId);
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

/** The message says `api key` to people too, because the API documentation fixes this text. */
export function rateLimited(): ApiError {
  return new ApiError('rate_limited', 'too many requests for this api key');
}
