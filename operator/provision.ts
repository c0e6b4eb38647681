/*
 * Creates a tenant, or adds an owner or an API key to one, without the console:
 *
 *   node operator/provision.ts [--subject SUB]                            creates a tenant with an API key
 *   node operator/provision.ts --tenant UUID [--subject SUB] [--api-key]  adds an owner or an API key to a tenant
 *
 * Options for the API key: --federations JSON, --expires-at TIME, --without-token
 *
 * The API key is in the default container and allows all ten actions. Its token is shown only once. --subject names a
 * user of the identity provider, who becomes an owner. If this user belongs to another tenant, nothing is created. Reads
 * the service's environment, and prints one line of JSON.
 */

import { z } from 'zod';
import { recordingChange } from '../shared/audit/record.ts';
import { Secrets } from '../shared/auth/secrets.ts';
import { type Clock, makeClock } from '../shared/base/clock.ts';
import { FairQueue } from '../shared/base/fair-queue.ts';
import { makeId, parseId, type TenantId, type UserId } from '../shared/base/ids.ts';
import { repeatsMember } from '../shared/base/json-members.ts';
import { readConfig } from '../shared/config.ts';
import { ApiError } from '../shared/errors.ts';
import { ACTIONS } from '../shared/operations.ts';
import { openStore } from '../shared/store/open-store.ts';
import type { Store } from '../shared/store/store.ts';
import { mintApiKey } from '../shared/tenancy/api-keys.ts';
import { parseExpiry } from '../shared/tenancy/expiry.ts';
import { parseFederations } from '../shared/tenancy/federation.ts';
import { addTenant, type NewTenant, writeMembership } from '../shared/tenancy/provision.ts';
import { CREATIONS } from '../shared/tenancy/slots.ts';
import { addMember, changeRole, makeMember } from '../shared/tenancy/team.ts';
import { changeTeam } from '../shared/tenancy/teams.ts';
import { SUBJECTS, subjectId, TENANTS } from '../shared/tenancy/tenant.ts';
import { readArguments, refuseUsage } from './usage.ts';
import { refuseWrongClock } from './wrong-clock.ts';

const PROGRAM = 'provision';
const { values } = readArguments(PROGRAM, {
  options: {
    subject: { type: 'string' },
    tenant: { type: 'string' },
    'api-key': { type: 'boolean' },
    federations: { type: 'string' },
    'expires-at': { type: 'string' },
    'without-token': { type: 'boolean', default: false },
  },
});
const config = readConfig(process.env);
const { identity } = config;
const services: {
  readonly store: Store;
  readonly clock: Clock;
  readonly creations: FairQueue;
  readonly secrets: Secrets;
} = {
  store: openStore(config),
  clock: makeClock(),
  creations: new FairQueue(CREATIONS),
  secrets: new Secrets(),
};
if (values.subject !== undefined && identity === undefined) {
  refuseUsage(PROGRAM, '--subject: set IDENTITY_ISSUER, IDENTITY_AUDIENCE and IDENTITY_JWKS_URL first');
}
// Read the options of the API key before creating a tenant, for the same reason as the subject below.
const makesApiKey = values.tenant === undefined || values['api-key'] === true;
const restrictions = readRestrictions();
const existing = values.tenant === undefined ? undefined : await findTenant(values.tenant);
// Check the subject before creating a tenant. Otherwise a refused subject would leave a tenant without an owner.
await refuseForeignSubject(existing?.tenantId);
await refuseWrongClock(PROGRAM, services);
const tenant = existing ?? (await makeTenant());
const answer = {
  tenant_id: tenant.tenantId,
  container_id: tenant.containerId,
  user_id: await link(tenant.tenantId),
  ...(makesApiKey ? await mint(tenant) : {}),
};
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));

/** Reads the options for the API key. Exits if one is wrong, or if no API key is made. */
function readRestrictions() {
  const { federations, 'expires-at': expiresAt, 'without-token': withoutToken } = values;
  if (!makesApiKey && (federations !== undefined || expiresAt !== undefined || withoutToken))
    refuseUsage(PROGRAM, '--federations, --expires-at, --without-token: add --api-key');
  try {
    return {
      expiresAt: parseExpiry(services.clock, expiresAt ?? null),
      federations: federations === undefined ? null : parseFederations(listIn(federations), config.workloadIssuers),
      hasToken: !withoutToken,
    };
  } catch (error) {
    if (error instanceof ApiError) refuseUsage(PROGRAM, error.message);
    throw error;
  }
}

function listIn(json: string): unknown[] {
  const parsed = z.array(z.unknown()).safeParse(parseJson(json));
  if (!parsed.success || repeatsMember(json))
    refuseUsage(PROGRAM, '--federations: must be a JSON list without repeated members');
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function makeTenant(): Promise<NewTenant> {
  const made: NewTenant[] = [];
  await services.store.write((writes) => made.push(addTenant(services.clock, writes)));
  const [tenant] = made;
  if (tenant === undefined) throw new Error('no tenant was created');
  return tenant;
}

async function findTenant(text: string): Promise<NewTenant> {
  const tenantId = parseId<TenantId>(text);
  if (tenantId === undefined) refuseUsage(PROGRAM, '--tenant: not a UUID');
  const found = await services.store.find(TENANTS, tenantId);
  if (found === undefined) refuseUsage(PROGRAM, `--tenant: no tenant ${tenantId}`);
  return { tenantId, containerId: found.default_container_id };
}

/** Exits if the subject belongs to a tenant other than `tenantId`. */
async function refuseForeignSubject(tenantId: TenantId | undefined): Promise<void> {
  if (values.subject === undefined || identity === undefined) return;
  const found = await services.store.find(SUBJECTS, subjectId(identity.issuer, values.subject));
  if (found?.membership == null || found.membership.tenant_id === tenantId) return;
  refuseUsage(PROGRAM, `--subject: belongs to another tenant, ${found.membership.tenant_id}`);
}

/** Makes the subject an owner. Returns the user's ID, or `null` without a subject or if the user already is an owner. */
async function link(tenantId: TenantId): Promise<UserId | null> {
  if (values.subject === undefined || identity === undefined) return null;
  const { store, clock } = services;
  const person = { subjectId: subjectId(identity.issuer, values.subject), email: null, name: null };
  let linked: UserId | null = null;
  await changeTeam(store, tenantId, async (team) => {
    const before = await store.findWithUpdateTime(SUBJECTS, person.subjectId);
    linked = null;
    const userId = before?.doc.user_id ?? makeId<UserId>();
    const membership = { tenant_id: tenantId, role: 'owner' } as const;
    if (before?.doc.membership != null) {
      if (before.doc.membership.tenant_id !== tenantId || before.doc.membership.role === 'owner') return { team };
      const { role } = before.doc.membership;
      linked = userId;
      return {
        team: changeRole(team, userId, 'owner'),
        write(writes) {
          writes.replace(SUBJECTS, person.subjectId, { user_id: userId, membership });
          const record = recordingChange(clock, { requestId: null, tenantId }, 'change_role');
          record(writes, userId, [{ field: 'role', before: role, after: 'owner' }]);
        },
      };
    }
    linked = userId;
    return {
      team: addMember(team, makeMember(userId, person, 'owner', clock.now())),
      write: (writes) => writeMembership(writes, person.subjectId, before, { user_id: userId, membership }),
    };
  });
  if (linked === null) await refuseForeignSubject(tenantId);
  return linked;
}

async function mint({ tenantId, containerId }: NewTenant) {
  const access = { allowedActions: ACTIONS, keyIds: null, firewallId: null, ...restrictions };
  const wanted = { tenantId, containerId, name: 'operator', ...access };
  const { apiKey, token } = await mintApiKey(
    services,
    wanted,
    recordingChange(services.clock, { requestId: null, tenantId }, 'create_api_key'),
  );
  return { api_key_id: apiKey.id, api_key: token };
}
