import { z } from 'zod';
import { type Demo, readDemo, writeDemo } from './demo.ts';
import type { Stripe } from './parts.ts';
import { linkSubject, provisionApiKey, provisionTenant } from './provision.ts';

const keyList = z.array(z.object({ id: z.string(), state: z.string() }));
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
  const found = remembered && (await refind(baseUrl, env, remembered));
  if (found === undefined) {
    const tenant = await provisionTenant(env);
    return { ...tenant, key_id: await createKey(baseUrl, tenant.api_key), subscribed: false };
  }
  const { demo, keys } = found;
  await linkSubject(env, demo.tenant_id);
  // The key may have been deleted in the meantime: another one does as well.
  const ids = keys.filter(({ state }) => state === 'active').map(({ id }) => id);
  if (ids.includes(demo.key_id)) return demo;
  return { ...demo, key_id: ids[0] ?? (await createKey(baseUrl, demo.api_key, demo.key_id)) };
}

/** The remembered tenant with its keys, and with another API key where its own was revoked; `undefined` where the store was lost. */
async function refind(
  baseUrl: string,
  env: NodeJS.ProcessEnv,
  remembered: Demo,
): Promise<{ demo: Demo; keys: z.infer<typeof keyList> } | undefined> {
  const keys = await listKeys(baseUrl, remembered.api_key);
  if (keys !== undefined) return { demo: remembered, keys };
  const again = await provisionApiKey(env, remembered.tenant_id).catch(() => undefined);
  if (again === undefined) return undefined;
  return { demo: { ...remembered, ...again }, keys: (await listKeys(baseUrl, again.api_key)) ?? [] };
}

/** The keys that an API key sees: none where it has been restricted, `undefined` where it is not known. */
async function listKeys(baseUrl: string, token: string): Promise<z.infer<typeof keyList> | undefined> {
  const response = await fetch(`${baseUrl}/v1/keys`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 401) return undefined;
  return response.status === 403 ? [] : keyList.parse(await bodyOf(response));
}

/** The new key's id, or `otherwise` where the API key has been restricted, or a pending key has the place. */
async function createKey(baseUrl: string, token: string, otherwise?: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'demo', tier: 'free' }),
  });
  if (otherwise !== undefined && [403, 409].includes(response.status)) return otherwise;
  return createdKey.parse(await bodyOf(response)).id;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  throw new Error(`the service answered ${response.status} while seeding: ${await response.text()}`);
}
