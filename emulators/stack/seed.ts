import { z } from 'zod';
import { type Demo, readDemo, writeDemo } from './demo.ts';
import type { Stripe } from './parts.ts';
import { linkSubject, provisionTenant } from './provision.ts';

const keyList = z.array(z.object({ id: z.string() }));
const createdKey = z.object({ id: z.string() });

/**
 * Makes the demo tenant with one `free` key, or finds the one that an earlier start made and kept in the file.
 * Where billing is configured for the first time the tenant is put in good standing.
 */
export async function seedDemo(options: {
  baseUrl: string;
  env: NodeJS.ProcessEnv;
  file: string | undefined;
  stripe: Stripe | undefined;
}): Promise<Demo> {
  const { file, stripe } = options;
  const found = await findDemo(options);
  if (stripe !== undefined && !found.subscribed) await stripe.setSubscription(found.tenant_id, 'active');
  const demo = { ...found, subscribed: found.subscribed || stripe !== undefined };
  if (file !== undefined) writeDemo(file, demo);
  return demo;
}

async function findDemo(options: { baseUrl: string; env: NodeJS.ProcessEnv; file: string | undefined }): Promise<Demo> {
  const { baseUrl, env, file } = options;
  const remembered = file === undefined ? undefined : readDemo(file);
  const keys = remembered && (await listKeys(baseUrl, remembered.api_key));
  if (remembered === undefined || keys === undefined) {
    // Also where the remembered token is no longer known, because the store was lost.
    const tenant = await provisionTenant(env);
    return { ...tenant, key_id: await createKey(baseUrl, tenant.api_key), subscribed: false };
  }
  await linkSubject(env, remembered.tenant_id);
  // The key may have been destroyed in the meantime: another one does as well.
  const ids = keys.map(({ id }) => id);
  const key = ids.includes(remembered.key_id) ? remembered.key_id : ids[0];
  return { ...remembered, key_id: key ?? (await createKey(baseUrl, remembered.api_key)) };
}

async function listKeys(baseUrl: string, token: string): Promise<z.infer<typeof keyList> | undefined> {
  const response = await fetch(`${baseUrl}/v1/keys`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 401) return undefined;
  return keyList.parse(await bodyOf(response));
}

async function createKey(baseUrl: string, token: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'demo', tier: 'free' }),
  });
  return createdKey.parse(await bodyOf(response)).id;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  throw new Error(`the service answered ${response.status} while seeding: ${await response.text()}`);
}
