import { z } from 'zod';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../../shared/base/ids.ts';
import type { Tier } from '../../shared/tiers.ts';
import { call } from '../http-client.ts';
import { type Addresses, createRequest, demoOf } from '../tenant.ts';

/** The tiers of the keys to add. The demo tenant already has a `free` key. */
const MORE_KEYS: readonly Tier[] = [
  'wrapped',
  'software',
  'hsm',
  'wrapped',
  'software',
  'hsm',
  'wrapped',
  'wrapped',
  'wrapped',
];

export interface UsedKey {
  readonly id: KeyId;
  readonly tier: Tier;
  readonly ciphertext: string;
}

/** The tenant whose routes are measured. Its data stays the same while other tenants are added. */
export interface MeasuredTenant {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly keys: readonly UsedKey[];
  /** The token of an API key with all actions. */
  readonly apiKey: string;
  /** The access token of the tenant's owner. */
  readonly accessToken: string;
}

/** Adds nine keys to the stack's demo tenant, and uses each key once through the service at `serviceUrl`. */
export async function makeTenant(stack: Addresses, serviceUrl: string): Promise<MeasuredTenant> {
  const demo = await demoOf(stack);
  const signIn = { method: 'POST', path: '/tokens', body: { sub: demo.subject } };
  const { access_token } = await call(stack.controlUrl, signIn, z.object({ access_token: z.string() }));
  const token = demo.api_key;

  const use = async (id: KeyId, tier: Tier): Promise<UsedKey> => {
    const body = { plaintext: Buffer.alloc(1024).toString('base64') };
    const encrypt = { method: 'POST', path: `/v1/keys/${id}/encrypt`, token, body };
    return { id, tier, ...(await call(serviceUrl, encrypt, z.object({ ciphertext: z.string() }))) };
  };
  const keys = [await use(demo.key_id, 'free')];
  for (const tier of MORE_KEYS) {
    const { id } = await call(serviceUrl, createRequest(token, tier), z.object({ id: idSchema<KeyId>() }));
    keys.push(await use(id, tier));
  }
  return {
    tenantId: demo.tenant_id,
    containerId: demo.container_id,
    keys,
    apiKey: token,
    accessToken: access_token,
  };
}
