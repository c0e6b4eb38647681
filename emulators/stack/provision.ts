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

/** A tenant with an API key that holds every action. */
export type Provisioned = z.output<typeof provisioned>;

/** Makes a tenant with the operator's command, and links the demo subject to it. Throws when the command fails. */
export async function provisionTenant(env: NodeJS.ProcessEnv): Promise<Provisioned> {
  return provisioned.parse(await provisionLinked(env, []));
}

/** Mints another API key for a tenant. Throws when the command fails, such as for an unknown tenant. */
export async function provisionApiKey(env: NodeJS.ProcessEnv, tenantId: string): Promise<Provisioned> {
  return provisioned.parse(await provision(env, ['--tenant', tenantId, '--api-key']));
}

/** Links the demo subject to the tenant, where an issuer is configured: its address may not be that of the last run. */
export async function linkSubject(env: NodeJS.ProcessEnv, tenantId: string): Promise<void> {
  if (env.IDENTITY_ISSUER !== undefined) await provisionLinked(env, ['--tenant', tenantId]);
}

/** A store that an earlier stack used may know the demo subject as another tenant's owner: it then stays that. */
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
  // Left alone it would wait for a store that has ended with the stack.
  const kill = (): void => void running.child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    return JSON.parse((await running).stdout);
  } finally {
    process.off('exit', kill);
  }
}
