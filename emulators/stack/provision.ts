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

/** Creates a tenant and links the demo subject to it. Throws if the command fails. */
export async function provisionTenant(env: NodeJS.ProcessEnv): Promise<Provisioned> {
  return provisioned.parse(await provisionLinked(env, []));
}

/** Creates an API key in a tenant. Throws if the command fails, for example for an unknown tenant. */
export async function provisionApiKey(env: NodeJS.ProcessEnv, tenantId: string): Promise<Provisioned> {
  return provisioned.parse(await provision(env, ['--tenant', tenantId, '--api-key']));
}

/** Links the demo subject to the tenant. Needed in each run, because the issuer's address can change. */
export async function linkSubject(env: NodeJS.ProcessEnv, tenantId: string): Promise<void> {
  if (env.IDENTITY_ISSUER !== undefined) await provisionLinked(env, ['--tenant', tenantId]);
}

/** Does not link the demo subject if it already belongs to another tenant, as is possible in a reused database. */
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
  // Without this, the command would continue to wait for Firestore after the stack has ended.
  const kill = (): void => void running.child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    return JSON.parse((await running).stdout);
  } finally {
    process.off('exit', kill);
  }
}
