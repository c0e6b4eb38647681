import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { demoSubject } from './demo.ts';
import { repositoryRoot } from './repository.ts';

const run = promisify(execFile);

const provisioned = z.object({
  tenant_id: z.string(),
  container_id: z.string(),
  api_key_id: z.string(),
  api_key: z.string(),
});

/** A tenant with an API key that may do everything. */
export type Provisioned = z.infer<typeof provisioned>;

/** Makes a tenant as an operator would. Throws when the program fails. */
export async function provisionTenant(env: NodeJS.ProcessEnv): Promise<Provisioned> {
  return provisioned.parse(await provision(env, []));
}

/** Mints another API key for a tenant. Throws when the program fails: there is no such tenant, for one. */
export async function provisionApiKey(env: NodeJS.ProcessEnv, tenantId: string): Promise<Provisioned> {
  return provisioned.parse(await provision(env, ['--tenant', tenantId, '--api-key']));
}

/** Makes sure that the demo subject is linked to the tenant, whatever the issuer is this time, if there is one. */
export async function linkSubject(env: NodeJS.ProcessEnv, tenantId: string): Promise<void> {
  if (env.IDENTITY_ISSUER !== undefined) await provision(env, ['--tenant', tenantId]);
}

async function provision(env: NodeJS.ProcessEnv, more: readonly string[]): Promise<unknown> {
  const subject = env.IDENTITY_ISSUER === undefined ? [] : ['--subject', demoSubject];
  const running = run(process.execPath, ['operator/provision.ts', ...subject, ...more], {
    cwd: repositoryRoot,
    env,
  });
  // It would wait for a store that goes with the stack.
  const kill = (): void => void running.child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    return JSON.parse((await running).stdout);
  } finally {
    process.off('exit', kill);
  }
}
