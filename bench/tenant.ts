import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { portsOf, workloadIssuerOf } from '../emulators/stack/ports.ts';
import type { SeparateStack } from '../emulators/stack/separate.ts';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../shared/base/ids.ts';
import { ACTIONS } from '../shared/operations.ts';
import type { Tier } from '../shared/tiers.ts';
import { call, type HttpRequest } from './load.ts';

const overview = z.object({
  demo: z.object({
    tenant_id: idSchema<TenantId>(),
    container_id: idSchema<ContainerId>(),
    key_id: idSchema<KeyId>(),
    api_key: z.string(),
    subject: z.string(),
  }),
});
const signedIn = z.object({ access_token: z.string() });
const me = z.object({ tenant: z.object({ id: z.string() }) });
const created = z.object({ id: z.string() });
const minted = z.object({ id: z.string(), token: z.string() });
const signed = z.object({ token: z.string() });

/**
 * A tenant with an active subscription. The stack's own service creates the tenant, not the service that is measured.
 */
export interface Tenant {
  readonly id: string;
  /** The access token of the tenant's owner. */
  readonly accessToken: string;
  /** The token of an API key with all actions. */
  readonly apiKey: string;
  /** Creates another API key, with all actions unless restricted, and returns its token. */
  mint(restrictions?: object): Promise<string>;
  /** Creates an API key for a workload. Returns its ID and token, and an ID token of the workload. */
  federate(): Promise<{ readonly id: string; readonly token: string; readonly idToken: string }>;
  /** Returns an ID token of the stack's workload issuer. */
  idToken(apiKeyId: string, subject: string): Promise<string>;
  /** Creates a key through the service at `url`, in that service's KMS. Returns the ID of the key. */
  createKey(url: string, tier: Tier): Promise<string>;
}

export type Addresses = Pick<SeparateStack, 'baseUrl' | 'controlUrl'>;

export type Demo = z.output<typeof overview>['demo'];

export async function demoOf({ controlUrl }: Addresses): Promise<Demo> {
  return (await call(controlUrl, { method: 'GET', path: '/' }, overview)).demo;
}

/** Creates a tenant by signing in a new person, and gives it an active subscription. */
export async function makeTenant(stack: Addresses): Promise<Tenant> {
  const session = { method: 'POST', path: '/tokens', body: { sub: randomUUID() } };
  const { access_token: accessToken } = await call(stack.controlUrl, session, signedIn);
  const asOwner = { method: 'GET', path: '/v1/me', token: accessToken };
  const { tenant } = await call(stack.baseUrl, asOwner, me);
  const subscription = { tenant_id: tenant.id, status: 'active' };
  await call(stack.controlUrl, { method: 'POST', path: '/stripe/subscription', body: subscription }, z.unknown());
  const mint = async (restrictions: object = {}) => {
    const { token } = await call(stack.baseUrl, mintRequest(accessToken, restrictions), minted);
    return token;
  };
  const idToken = async (apiKeyId: string, sub: string) => {
    const body = { audience: `urn:uuid:${apiKeyId}`, claims: { sub }, expires_in: 3_600 };
    return (await call(stack.controlUrl, { method: 'POST', path: '/workload-tokens', body }, signed)).token;
  };
  const federate = async () => {
    const issuer = workloadIssuerOf(portsOf(stack));
    const federations = [{ issuer, claims: { sub: 'job' } }];
    const { id, token } = await call(stack.baseUrl, mintRequest(accessToken, { federations }), minted);
    return { id, token, idToken: await idToken(id, 'job') };
  };
  const apiKey = await mint();
  const createKey = async (url: string, tier: Tier) => (await call(url, createRequest(apiKey, tier), created)).id;
  return { id: tenant.id, accessToken, apiKey, mint, federate, idToken, createKey };
}

/**
 * Returns a request that creates an API key. The API key has all actions, unless `restrictions` lists other actions.
 */
export function mintRequest(accessToken: string, restrictions: object = {}): HttpRequest {
  const body = { name: 'bench', allowed_actions: ACTIONS, ...restrictions };
  return { method: 'POST', path: '/v1/api-keys', token: accessToken, body };
}

/** Returns a request that creates a key. Each request has a new random name. */
export function createRequest(apiKey: string, tier: Tier): HttpRequest {
  return { method: 'POST', path: '/v1/keys', token: apiKey, body: { name: randomUUID(), tier } };
}
