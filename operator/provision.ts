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
import { Secrets } from '../shared/auth/secrets.ts';
import { makeClock } from '../shared/base/clock.ts';
import { FairQueue } from '../shared/base/fair-queue.ts';
import { makeId, parseId, type TenantId, type UserId } from '../shared/base/ids.ts';
import { readConfig } from '../shared/config.ts';
import { ACTIONS } from '../shared/operations.ts';
import { openStore } from '../shared/store/open-store.ts';
import { isAlreadyExists } from '../shared/store/store.ts';
import { mintApiKey } from '../shared/tenancy/api-keys.ts';
import type { MintingNeeds } from '../shared/tenancy/needs.ts';
import { CREATIONS } from '../shared/tenancy/places.ts';
import { addMember, addTenant, type NewTenant } from '../shared/tenancy/provision.ts';
import { subjectId, TENANTS } from '../shared/tenancy/tenant.ts';

const { values } = parseArgs({
  options: { subject: { type: 'string' }, tenant: { type: 'string' }, 'api-key': { type: 'boolean' } },
});
const config = readConfig(process.env);
const { identity } = config;
const needs: MintingNeeds = {
  store: openStore(config),
  clock: makeClock(),
  creations: new FairQueue(CREATIONS),
  secrets: new Secrets(),
};
if (values.subject !== undefined && identity === undefined) throw new Error('--subject: needs the IDENTITY_ variables');
const tenant = values.tenant === undefined ? await makeTenant() : await findTenant(values.tenant);
const answer = {
  tenant_id: tenant.tenantId,
  container_id: tenant.containerId,
  user_id: await link(tenant.tenantId),
  ...(values.tenant === undefined || values['api-key'] ? await mint(tenant) : {}),
};
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));

async function makeTenant(): Promise<NewTenant> {
  const made: NewTenant[] = [];
  await needs.store.write((writes) => made.push(addTenant(needs.clock, writes)));
  const [tenant] = made;
  if (tenant === undefined) throw new Error('no tenant was made');
  return tenant;
}

async function findTenant(text: string): Promise<NewTenant> {
  const tenantId = parseId<TenantId>(text);
  if (tenantId === undefined) throw new Error('--tenant: not a UUID');
  const found = await needs.store.find(TENANTS, tenantId);
  if (found === undefined) throw new Error('--tenant: there is no such tenant');
  return { tenantId, containerId: found.default_container_id };
}

/** The new owner's id, or `null` where there is no one to link or they are linked already. */
async function link(tenantId: TenantId): Promise<UserId | null> {
  if (values.subject === undefined || identity === undefined) return null;
  const userId = makeId<UserId>();
  try {
    const subject = subjectId(identity.issuer, values.subject);
    await needs.store.write((writes) => addMember(needs.clock, writes, tenantId, userId, subject));
    return userId;
  } catch (error) {
    if (isAlreadyExists(error)) return null;
    throw error;
  }
}

async function mint({ tenantId, containerId }: NewTenant) {
  const wanted = { tenantId, containerId, name: 'operator', allowedActions: ACTIONS, keyIds: null, firewallId: null };
  const { apiKey, token } = await mintApiKey(needs, wanted);
  return { api_key_id: apiKey.id, api_key: token };
}
