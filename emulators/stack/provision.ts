import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { REPOSITORY_ROOT } from '../base/repository.ts';
import { DEMO_SUBJECT } from './demo.ts';

const run = promisify(execFile);

const provisioned = z.object({
  tenant_id: z.string(),
  container_id: z.string(),
  api_key_id: z.string(),
  api_key: z.string(),
});

/** A tenant with an API key that has every action. */
export type Provisioned = z.output<typeof provisioned>;

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
