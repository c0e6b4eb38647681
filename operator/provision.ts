/*
 * Makes a tenant, or what it lacks, without the console:
 *
 *   node operator/provision.ts [--subject SUB]                          a tenant, with an API key
 *   node operator/provision.ts --tenant UUID [--subject SUB] [--api-key]  more for one that is there
 *
 * An API key is one of the default container that holds all ten actions; its token is shown this once. With --subject the
 * identity provider's subject is made an owner. Prints one line of JSON. Takes the service's environment.
 */
import { parseArgs } from 'node:util';
import { makeId, parseId, type TenantId, type UserId } from '../shared/base/ids.ts';
import { readConfig } from '../shared/config.ts';
import { type Env, makeEnv } from '../shared/env.ts';
import { isAlreadyExists } from '../shared/store/store.ts';
import { ACTIONS } from '../shared/tenancy/actions.ts';
import { mintApiKey } from '../shared/tenancy/api-keys.ts';
import { addMember, addTenant, type NewTenant } from '../shared/tenancy/provision.ts';
import { subjectId, TENANTS } from '../shared/tenancy/tenant.ts';

const { values } = parseArgs({
  options: { subject: { type: 'string' }, tenant: { type: 'string' }, 'api-key': { type: 'boolean' } },
});
const { env } = makeEnv(readConfig(process.env), {});
const { identity } = env.config;
if (values.subject !== undefined && identity === undefined) throw new Error('--subject: needs the IDENTITY_ variables');
const tenant = values.tenant === undefined ? await makeTenant(env) : await findTenant(env, values.tenant);
const answer = {
  tenant_id: tenant.tenantId,
  container_id: tenant.containerId,
  user_id: await link(env, tenant.tenantId),
  ...(values.tenant === undefined || values['api-key'] ? await mint(env, tenant) : {}),
};
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));

async function makeTenant(env: Env): Promise<NewTenant> {
  const made: NewTenant[] = [];
  await env.store.write((writes) => made.push(addTenant(env, writes)));
  const [tenant] = made;
  if (tenant === undefined) throw new Error('no tenant was made');
  return tenant;
}

async function findTenant(env: Env, text: string): Promise<NewTenant> {
  const tenantId = parseId<TenantId>(text);
  if (tenantId === undefined) throw new Error('--tenant: not a UUID');
  const found = await env.store.find(TENANTS, tenantId);
  if (found === undefined) throw new Error('--tenant: there is no such tenant');
  return { tenantId, containerId: found.default_container_id };
}

/** The new owner's id, or `null` where there is no one to link or they are linked already. */
async function link(env: Env, tenantId: TenantId): Promise<UserId | null> {
  if (values.subject === undefined || identity === undefined) return null;
  const userId = makeId<UserId>();
  try {
    const subject = subjectId(identity.issuer, values.subject);
    await env.store.write((writes) => addMember(env, writes, tenantId, userId, subject));
    return userId;
  } catch (error) {
    if (isAlreadyExists(error)) return null;
    throw error;
  }
}

async function mint(env: Env, { tenantId, containerId }: NewTenant) {
  const wanted = { tenantId, containerId, name: 'operator', allowedActions: ACTIONS, keyIds: null, firewallId: null };
  const { apiKey, token } = await mintApiKey(env, wanted);
  return { api_key_id: apiKey.id, api_key: token };
}
