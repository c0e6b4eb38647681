import { z } from 'zod';
import type { SeparateStack } from '../../emulators/stack/separate.ts';
import { type ContainerId, idSchema, type KeyId, type TenantId } from '../../shared/base/ids.ts';
import type { Tier } from '../../shared/keys/tiers.ts';
import { demoOf } from '../demo.ts';

/** Keys beside the tenant's first, which is free. */
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

/** A key of the tenant, and a ciphertext under it. */
export interface UsedKey {
  readonly id: KeyId;
  readonly tier: Tier;
  readonly ciphertext: string;
}

/** The tenant that is measured: its data stays the same while the store fills with others'. */
export interface MeasuredTenant {
  readonly tenantId: TenantId;
  readonly containerId: ContainerId;
  readonly keys: readonly UsedKey[];
  readonly apiKey: string;
  readonly accessToken: string;
}

/** The stack's first tenant, with some more keys, each of them used, and a session of its owner. */
export async function makeTenant(stack: SeparateStack, serviceUrl: string): Promise<MeasuredTenant> {
  const demo = await demoOf(stack);
  const asked = { method: 'POST', body: JSON.stringify({ sub: demo.subject }) };
  const session = await (await fetch(`${stack.controlUrl}/tokens`, asked)).json();

  const post = async (path: string, body: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${serviceUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const use = async (id: KeyId, tier: Tier): Promise<UsedKey> => {
    const answered = await post(`/v1/keys/${id}/encrypt`, { plaintext: Buffer.alloc(1024).toString('base64') });
    return { id, tier, ...z.object({ ciphertext: z.string() }).parse(answered) };
  };
  const keys = [await use(demo.key_id, 'free')];
  for (const [n, tier] of MORE_KEYS.entries()) {
    const { id } = z.object({ id: idSchema<KeyId>() }).parse(await post('/v1/keys', { name: `key ${n}`, tier }));
    keys.push(await use(id, tier));
  }
  return {
    tenantId: demo.tenant_id,
    containerId: demo.container_id,
    keys,
    apiKey: demo.api_key,
    accessToken: z.object({ access_token: z.string() }).parse(session).access_token,
  };
}
