import type { Tenant, Tier } from './tenant.ts';

/** Makes a key that is pending deletion. Returns its id. */
export async function makePending({ console, createKey }: Tenant, tier: Tier = 'wrapped'): Promise<string> {
  const id = await createKey(tier);
  await console.send('DELETE', `/v1/keys/${id}`);
  return id;
}

/** Makes a key that is frozen and pending deletion. Returns its id. */
export async function makeFrozenPending(tenant: Tenant, tier: Tier = 'wrapped'): Promise<string> {
  const id = await makeFrozen(tenant, tier);
  await tenant.console.send('DELETE', `/v1/keys/${id}`);
  return id;
}

/** Makes a frozen key. Returns its id. */
export async function makeFrozen({ console, createKey }: Tenant, tier: Tier = 'wrapped'): Promise<string> {
  const id = await createKey(tier);
  await console.send('POST', `/v1/keys/${id}/freeze`);
  return id;
}
