import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SeparateStack } from '../../emulators/stack/separate.ts';
import type { Tier } from '../../shared/keys/tiers.ts';
import { ACTIONS } from '../../shared/tenancy/actions.ts';
import { type Asked, call } from './http-client.ts';

const signedIn = z.object({ access_token: z.string() });
const me = z.object({ tenant: z.object({ id: z.string() }) });
const created = z.object({ id: z.string() });
const minted = z.object({ token: z.string() });

/** A tenant in good standing, made through the console of the stack's own service: the one under attack has not met it. */
export interface Tenant {
  readonly id: string;
  /** The owner's. */
  readonly accessToken: string;
  /** A token of an API key with all actions. */
  readonly apiKey: string;
  /** Mints another one, by default with all actions too, and returns its token. */
  mint(restrictions?: object): Promise<string>;
  /** Makes a key at the service there, whose KMS is to have it, and returns its id. */
  createKey(url: string, tier: Tier): Promise<string>;
}

/** Where a stack is. */
export type Addresses = Pick<SeparateStack, 'baseUrl' | 'controlUrl'>;

/** Makes one, as a person would. */
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
  const apiKey = await mint();
  const createKey = async (url: string, tier: Tier) => (await call(url, createRequest(apiKey, tier), created)).id;
  return { id: tenant.id, accessToken, apiKey, mint, createKey };
}

/** The request that mints an API key, with all actions unless told otherwise. */
export function mintRequest(accessToken: string, restrictions: object = {}): Asked {
  const body = { name: 'fairness', allowed_actions: ACTIONS, ...restrictions };
  return { method: 'POST', path: '/v1/api-keys', token: accessToken, body };
}

/** The request that creates a key under a name of its own. */
export function createRequest(apiKey: string, tier: Tier): Asked {
  return { method: 'POST', path: '/v1/keys', token: apiKey, body: { name: randomUUID(), tier } };
}
