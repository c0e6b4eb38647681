import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../base/repository.ts';
import { StartError } from '../base/start-error.ts';
import { StateFile } from '../base/state-file.ts';
import type { StripeEmulator } from '../stripe/server.ts';

/** The subject under which the identity provider knows the demo tenant's owner. */
export const DEMO_SUBJECT = 'demo';

const demo = z.object({
  tenant_id: z.string(),
  container_id: z.string(),
  api_key: z.string(),
  api_key_id: z.string(),
  /** The id of the demo key. `null` if the tenant was created while the service was closed. */
  key_id: z.string().nullable(),
  /** Whether the stack has created the subscription of the tenant. It does this only once. */
  subscribed: z.boolean(),
});

/** The demo tenant. `api_key` is the secret token. */
export type Demo = z.output<typeof demo>;

const run = promisify(execFile);

const provisioned = z.object({
  tenant_id: z.string(),
  container_id: z.string(),
  api_key_id: z.string(),
  api_key: z.string(),
});

/** A tenant with an API key that has every action. */
type Provisioned = z.output<typeof provisioned>;

/** Creates a tenant and makes the demo subject its owner. Throws if the command fails. */
async function provisionTenant(env: NodeJS.ProcessEnv): Promise<Provisioned> {
  return provisioned.parse(await provisionLinked(env, []));
}

/** Creates an API key in a tenant. Throws if the command fails, for example for an unknown tenant. */
async function provisionApiKey(env: NodeJS.ProcessEnv, tenantId: string): Promise<Provisioned> {
  return provisioned.parse(await provision(env, ['--tenant', tenantId, '--api-key']));
}

/**
 * Makes the demo subject an owner of the tenant. This is needed in each run, because the address of the identity
 * provider can change.
 */
async function linkSubject(env: NodeJS.ProcessEnv, tenantId: string): Promise<void> {
  if (env.IDENTITY_ISSUER !== undefined) await provisionLinked(env, ['--tenant', tenantId]);
}

/**
 * Runs the command with the demo subject. If that subject already belongs to another tenant, which is possible in a
 * reused database, runs the command without it.
 */
async function provisionLinked(env: NodeJS.ProcessEnv, more: readonly string[]): Promise<unknown> {
  const subject = env.IDENTITY_ISSUER === undefined ? [] : ['--subject', DEMO_SUBJECT];
  try {
    return await provision(env, [...subject, ...more]);
  } catch (error) {
    if (!String(error).includes('belongs to another tenant')) throw error;
    return provision(env, more);
  }
}

async function provision(env: NodeJS.ProcessEnv, options: readonly string[]): Promise<unknown> {
  const running = run(process.execPath, ['operator/provision.ts', ...options], {
    cwd: REPOSITORY_ROOT,
    env,
  });
  // Kill the command when this process exits. Otherwise the command would still wait for Firestore.
  const kill = (): void => void running.child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    return JSON.parse((await running).stdout);
  } finally {
    process.off('exit', kill);
  }
}

const keyList = z.array(z.object({ id: z.string(), state: z.string() }));
const createdKey = z.object({ id: z.string() });

interface SeedOptions {
  readonly baseUrl: string;
  readonly env: NodeJS.ProcessEnv;
  /** The file in which the demo tenant is kept between runs, if any. */
  readonly file: string | undefined;
  readonly stripe: StripeEmulator | undefined;
  /** Creates the demo tenant if it does not exist. By default, the tenant gets one `free` key. */
  readonly make?: (() => Promise<Demo>) | undefined;
  readonly log: (line: string) => void;
}

type KeyList = z.output<typeof keyList>;

/**
 * Returns the demo tenant, and creates it if it does not exist. The tenant gets an active subscription in the first run
 * with billing.
 */
export async function seedDemo(options: SeedOptions): Promise<Demo> {
  const { stripe } = options;
  const file = new StateFile(options.file, demo);
  const found = await findDemo(options, readDemo(file, options.log));
  if (stripe !== undefined && !found.subscribed) await stripe.setSubscription(found.tenant_id, 'active');
  const seeded = { ...found, subscribed: found.subscribed || stripe !== undefined };
  file.save(seeded);
  return seeded;
}

/**
 * Like {@link seedDemo}, but for a closed service: a new tenant has no key. The next start without `--closed` creates
 * the key.
 */
export async function seedClosed({ env, log, ...options }: Pick<SeedOptions, 'env' | 'file' | 'log'>): Promise<Demo> {
  const file = new StateFile(options.file, demo);
  const saved = readDemo(file, log);
  if (saved !== undefined) return saved;
  const seeded = { ...(await provisionTenant(env)), key_id: null, subscribed: false };
  file.save(seeded);
  return seeded;
}

/** Reads the demo tenant. A file that is not valid does not stop the start, which then makes another tenant. */
function readDemo(file: StateFile<Demo>, log: (line: string) => void): Demo | undefined {
  try {
    return file.read();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    log('The file of the demo tenant is not valid, so this start makes another demo tenant.');
    return undefined;
  }
}

async function findDemo({ baseUrl, env, make, log }: SeedOptions, saved: Demo | undefined): Promise<Demo> {
  const found = saved && (await recoverDemo(baseUrl, env, saved));
  if (found === undefined) {
    if (make !== undefined) return make();
    const tenant = await provisionTenant(env);
    return { ...tenant, key_id: await createKey(baseUrl, tenant.api_key), subscribed: false };
  }
  if (make !== undefined)
    log('There is a demo tenant already, so --demo adds no activity. To replace it and all other data, add --fresh.');
  const { demo, keys } = found;
  await linkSubject(env, demo.tenant_id);
  // If the demo key was deleted, use any other active key.
  const ids = keys.filter(({ state }) => state === 'active').map(({ id }) => id);
  if (demo.key_id !== null && ids.includes(demo.key_id)) return demo;
  return { ...demo, key_id: ids[0] ?? (await createKey(baseUrl, demo.api_key, demo.key_id ?? undefined)) };
}

/**
 * Returns the saved tenant and its keys. If its API key was revoked, creates a new one. Returns `undefined` if the
 * tenant no longer exists.
 */
async function recoverDemo(
  baseUrl: string,
  env: NodeJS.ProcessEnv,
  saved: Demo,
): Promise<{ demo: Demo; keys: KeyList } | undefined> {
  const keys = await listKeys(baseUrl, saved.api_key);
  if (keys !== undefined) return { demo: saved, keys };
  const again = await provisionApiKey(env, saved.tenant_id).catch((error: unknown) => {
    // Any other failure says nothing about the tenant, so it must not be replaced.
    if (!String(error).includes('--tenant: no tenant')) throw error;
    return undefined;
  });
  if (again === undefined) return undefined;
  return { demo: { ...saved, ...again }, keys: (await listKeys(baseUrl, again.api_key)) ?? [] };
}

/**
 * Returns the tenant's keys. Returns `undefined` if the API key is invalid, and an empty list if the API key may not
 * list keys.
 */
async function listKeys(baseUrl: string, token: string): Promise<KeyList | undefined> {
  const response = await fetch(`${baseUrl}/v1/keys`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 401) return undefined;
  return response.status === 403 ? [] : keyList.parse(await bodyOf(response));
}

/**
 * Creates a `free` key and returns its id. If the API key may not create keys or the tenant already has a `free` key,
 * returns `fallback`, or throws if there is no `fallback`.
 */
async function createKey(baseUrl: string, token: string, fallback?: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'demo', tier: 'free' }),
  });
  if (fallback !== undefined && [403, 409].includes(response.status)) return fallback;
  return createdKey.parse(await bodyOf(response)).id;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  throw new Error(`the service answered ${response.status} while seeding: ${await response.text()}`);
}
