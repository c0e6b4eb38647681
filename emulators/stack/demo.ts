import { execFile } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../base/repository.ts';

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

/** Reads the demo tenant. Returns `undefined` if the file is missing or malformed. */
export function readDemo(file: string): Demo | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demo.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes the demo tenant to a file that only this user can read. */
export function writeDemo(file: string, value: Demo): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

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
export async function provisionTenant(env: NodeJS.ProcessEnv): Promise<Provisioned> {
  return provisioned.parse(await provisionLinked(env, []));
}

/** Creates an API key in a tenant. Throws if the command fails, for example for an unknown tenant. */
export async function provisionApiKey(env: NodeJS.ProcessEnv, tenantId: string): Promise<Provisioned> {
  return provisioned.parse(await provision(env, ['--tenant', tenantId, '--api-key']));
}

/**
 * Makes the demo subject an owner of the tenant. This is needed in each run, because the address of the identity
 * provider can change.
 */
export async function linkSubject(env: NodeJS.ProcessEnv, tenantId: string): Promise<void> {
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
