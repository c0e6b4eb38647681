import type { Clock } from '../base/clock.ts';
import type { FairQueue } from '../base/fair-queue.ts';
import { prefetch } from '../base/prefetch.ts';
import type { Config } from '../config.ts';
import { ApiError, unauthorized } from '../errors.ts';
import type { EarlyReads, RequestReads } from '../store/early-reads.ts';
import type { Reader } from '../store/store.ts';
import { API_KEYS, type ApiKey } from '../tenancy/api-key.ts';
import type { ApiKeyCaller, Identity, Person } from '../tenancy/caller.ts';
import { isPast, sooner } from '../tenancy/expiry.ts';
import { hasFederation } from '../tenancy/federation.ts';
import { FIREWALLS } from '../tenancy/firewall.ts';
import { isInNetworks, plainAddress } from '../tenancy/networks.ts';
import { SUBJECTS } from '../tenancy/tenant.ts';
import type { AuthRequest } from './auth-request.ts';
import { type Credential, readCredential } from './credential.ts';
import type { IdTokens, VerifiedIdToken } from './id-tokens.ts';
import { type RateLimit, rateLimited } from './rate-limit.ts';
import type { PresentedSecret, Secrets } from './secrets.ts';
import type { AccessTokens } from './session.ts';

interface Presented {
  readonly credential: Credential;
  /** The API key's secret, the ID token or the access token. */
  readonly secret: PresentedSecret;
  readonly reads: RequestReads;
}

/** Who sent the request, if the credential is right. */
type Sender =
  | { readonly kind: 'api_key'; readonly apiKey: ApiKey; readonly idToken: VerifiedIdToken | undefined }
  | { readonly kind: 'person'; readonly person: Person };

/** Parses the credential, and begins the reads of the request `name`. Throws `unauthorized`. */
export function presentCredential(
  { config, secrets, earlyReads }: { config: Config; secrets: Pick<Secrets, 'present'>; earlyReads: EarlyReads },
  { authorization }: AuthRequest,
  name: string,
): Presented {
  const credential = readCredential(authorization, config);
  const secret = secrets.present(secretOf(credential));
  // The name contains the secret's digest, so only its holder makes the service read more than the API key.
  const reads = earlyReads.begin(`${secret.digest} ${name}`);
  if (credential.kind === 'api_key') prefetch(reads.find(API_KEYS, credential.token.apiKeyId));
  return { credential, secret, reads };
}

function secretOf(credential: Credential): string {
  if (credential.kind === 'api_key') return credential.token.secret;
  return credential.kind === 'id_token' ? credential.idToken.text : credential.accessToken;
}

/**
 * Throws `unauthorized` for a token that is not valid, for an API key that is unknown, revoked or expired, and for a
 * workload that no federation of the API key matches. Throws `unavailable` if the issuer's keys cannot be read.
 */
export async function findSender(
  {
    accessTokens,
    idTokens,
    clock,
  }: {
    readonly accessTokens: AccessTokens;
    readonly idTokens: Pick<IdTokens, 'verify' | 'remember'>;
    readonly clock: Clock;
  },
  { credential, secret, reads }: Presented,
): Promise<Sender> {
  if (credential.kind === 'access_token')
    return { kind: 'person', person: await accessTokens.verify(credential.accessToken) };
  const { kind } = credential;
  const idToken = kind === 'id_token' ? await idTokens.verify(credential.idToken, secret.digest) : undefined;
  const apiKeyId = kind === 'id_token' ? credential.idToken.apiKeyId : credential.token.apiKeyId;
  const apiKey = await reads.find(API_KEYS, apiKeyId);
  if (apiKey === undefined || apiKey.revoked_at !== null || isPast(apiKey.expires_at, clock)) throw unauthorized();
  if (idToken === undefined) refuseWithoutToken(apiKey);
  else {
    refuseUnfederated(apiKey, idToken);
    idTokens.remember(secret.digest, idToken);
  }
  return { kind: 'api_key', apiKey, idToken };
}

function refuseWithoutToken({ has_token }: ApiKey): void {
  if (!has_token) throw unauthorized();
}

function refuseUnfederated({ federations }: ApiKey, { token: { issuer, claims } }: VerifiedIdToken): void {
  if (!hasFederation(federations, issuer.issuer, claims))
    throw unauthorized(undefined, 'no federation of the API key matches the ID token');
}

/** Takes one token for the request, even if its checks run twice. Throws `rate_limited`. */
export function refuseOverRate(
  { rateLimit }: { readonly rateLimit: Pick<RateLimit, 'take'> },
  { turns }: AuthRequest,
  sender: Sender,
): void {
  const id = sender.kind === 'api_key' ? sender.apiKey.id : sender.person.subjectId;
  const isWorkload = sender.kind === 'api_key' && sender.idToken !== undefined;
  if (!turns.has(id) && !rateLimit.take(id, isWorkload)) throw rateLimited();
}

/** Throws `unauthorized`, or `unavailable` if too many secrets are being checked. */
export async function refuseWrongSecret(
  { secrets }: { readonly secrets: Pick<Secrets, 'verify'> },
  sender: Sender,
  secret: PresentedSecret,
): Promise<void> {
  // A workload has no secret: its ID token was verified.
  if (sender.kind !== 'api_key' || sender.idToken !== undefined) return;
  const { tenant_id, secret_hash } = sender.apiKey;
  if (!(await secrets.verify(tenant_id, secret_hash, secret))) throw unauthorized();
}

/** Counts the request against its sender's and its tenant's requests in flight. Throws `unavailable`. */
export async function identify(reads: Reader, request: AuthRequest, sender: Sender): Promise<Identity> {
  const { apiKeys, users, tenants } = request.inFlight;
  if (sender.kind === 'api_key') {
    await takeTurn(request, apiKeys, sender.apiKey.id);
    await takeTurn(request, tenants, sender.apiKey.tenant_id);
    return asCaller(sender.apiKey, sender.idToken);
  }
  const { person } = sender;
  await takeTurn(request, users, person.subjectId);
  const subject = await reads.find(SUBJECTS, person.subjectId);
  if (subject === undefined || subject.membership === null) return { kind: 'newcomer', person };
  const { tenant_id, role } = subject.membership;
  await takeTurn(request, tenants, tenant_id);
  return { kind: 'session', tenantId: tenant_id, userId: subject.user_id, role, person };
}

/** Takes one turn for the request, even if its checks run twice. Throws `unavailable`. */
async function takeTurn({ turns }: AuthRequest, queue: FairQueue, owner: string): Promise<void> {
  if (!turns.has(owner)) turns.set(owner, await queue.take(owner));
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

function asCaller(apiKey: ApiKey, idToken: VerifiedIdToken | undefined): ApiKeyCaller {
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
