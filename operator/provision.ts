/*
 * Makes a tenant without the console: node operator/provision.ts [--subject SUB] [--tenant UUID]
 *
 * Without --tenant: a new tenant with its default container and an API key that holds all ten actions, printed as one
 * line of JSON: the only time the API key's token is shown. With --subject the identity provider's subject is made an
 * owner of the tenant, new or named. Takes the service's environment.
 */
import { parseArgs } from 'node:util';
import { makeId, parseId, type TenantId, type UserId } from '../shared/base/ids.ts';
import { readConfig } from '../shared/config.ts';
import { type Env, makeEnv } from '../shared/env.ts';
import { isAlreadyExists } from '../shared/store/store.ts';
import { ACTIONS } from '../shared/tenancy/actions.ts';
import { mintApiKey } from '../shared/tenancy/api-keys.ts';
import { addMember, addTenant, type NewTenant } from '../shared/tenancy/provision.ts';
import { subjectId } from '../shared/tenancy/tenant.ts';

const { values } = parseArgs({ options: { subject: { type: 'string' }, tenant: { type: 'string' } } });
const { env } = makeEnv(readConfig(process.env), {});
const { identity } = env.config;
if (values.subject !== undefined && identity === undefined) throw new Error('--subject: needs the IDENTITY_ variables');
const answer = values.tenant === undefined ? await provisionNew(env) : await linkTo(env, values.tenant);
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));

async function provisionNew(env: Env) {
  const made: NewTenant[] = [];
  await env.store.write((writes) => made.push(addTenant(env, writes)));
  const [tenant] = made;
  if (tenant === undefined) throw new Error('no tenant was made');
  const { tenantId, containerId } = tenant;
  const userId = await link(env, tenantId);
  const wanted = { tenantId, containerId, name: 'first', allowedActions: ACTIONS, keyIds: null, firewallId: null };
  const { apiKey, token } = await mintApiKey(env, wanted);
  return { tenant_id: tenantId, container_id: containerId, user_id: userId, api_key_id: apiKey.id, api_key: token };
}

async function linkTo(env: Env, text: string) {
  const tenantId = parseId<TenantId>(text);
  if (tenantId === undefined) throw new Error('--tenant: not a UUID');
  return { tenant_id: tenantId, user_id: await link(env, tenantId) };
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
