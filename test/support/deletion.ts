import type { z } from 'zod';
import type { Addresses } from './client.ts';
import { keyObject, read } from './objects.ts';
import { setClock } from './steer.ts';
import { type Client, makeTenant, signIn, type Tenant, type Tier } from './tenant.ts';

type KeyObject = z.output<typeof keyObject>;

/** Makes a tenant with an active `wrapped` key. Also returns the key's path. */
export async function makeActiveKey(stack: Addresses): Promise<{ tenant: Tenant; created: KeyObject; path: string }> {
  const tenant = await makeTenant(stack);
  const created = read(keyObject, await tenant.api.send('POST', '/v1/keys', { name: 'orders', tier: 'wrapped' }));
  return { tenant, created, path: `/v1/keys/${created.id}` };
}

/** Makes a key that is pending deletion. Returns its id. */
export async function makePending({ console, createKey }: Tenant, tier: Tier = 'wrapped'): Promise<string> {
  const id = await createKey(tier);
  await console.send('DELETE', `/v1/keys/${id}`);
  return id;
}

/** Makes a frozen key. Returns its id. */
export async function makeFrozen({ console, createKey }: Tenant, tier: Tier = 'wrapped'): Promise<string> {
  const id = await createKey(tier);
  await console.send('POST', `/v1/keys/${id}/freeze`);
  return id;
}

/** Requests the key's deletion. Returns the key, and the time until which it can be restored. */
export async function requestDeletion(
  client: Client,
  path: string,
): Promise<{ pending: KeyObject; destroyAfter: string }> {
  const pending = read(keyObject, await client.send('DELETE', path));
  return { pending, destroyAfter: pending.destroy_after ?? '' };
}

/** Sets the stack's clock. Returns a session of the tenant's owner that is valid at that time. */
export async function moveTo(stack: Addresses, now: string, { subject }: Tenant): Promise<Client> {
  await setClock(stack, now);
  return signIn(stack, subject);
}
