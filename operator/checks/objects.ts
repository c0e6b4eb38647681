import { KEYS_OF_TENANT } from '../../shared/keys/key.ts';
import { FILLING_STATES } from '../../shared/keys/list.ts';
import { countersOf, nameClaimOf } from '../../shared/lifecycle/claims.ts';
import type { Store } from '../../shared/store/store.ts';
import { API_KEYS_OF_TENANT } from '../../shared/tenancy/api-key.ts';
import { CLAIMS } from '../../shared/tenancy/claim.ts';
import { CONTAINERS_OF_TENANT } from '../../shared/tenancy/container.ts';
import { containerClaim } from '../../shared/tenancy/containers.ts';
import { federationBytes } from '../../shared/tenancy/federation.ts';
import { FIREWALLS_OF_TENANT } from '../../shared/tenancy/firewall.ts';
import { firewallClaim } from '../../shared/tenancy/firewalls.ts';
import { type Counter, OBJECT_COUNTS } from '../../shared/tenancy/object-counts.ts';
import { TENANTS_OF_ALL, type Tenant } from '../../shared/tenancy/tenant.ts';
import { findNamed, type NamedKind } from './named.ts';
import { checkEach, Part } from './part.ts';
import type { CheckServices } from './services.ts';

/** The maximum number of attempts to count a tenant's objects. An attempt fails if the objects change meanwhile. */
const ATTEMPTS = 5;

const NONE = { keys: 0, free_keys: 0, api_keys: 0, containers: 0, firewalls: 0, federation_bytes: 0 };

interface Claimant {
  readonly kind: NamedKind;
  readonly id: string;
  readonly claim: string;
}

/** Checks that each tenant's stored counts match its objects, and that the name of each object is claimed. */
export async function checkObjects({ store }: Pick<CheckServices, 'store'>) {
  const part = new Part('Object counts against the objects', {
    tenants: 0,
    counts: 0,
    names: 0,
    'tenants being changed, not counted': 0,
  });
  await checkEach(store.pages(TENANTS_OF_ALL, { equal: [] }), async (tenant) => {
    part.count('tenants');
    const counted = await countUnchanged(store, tenant);
    if (counted === undefined) return part.count('tenants being changed, not counted');
    const { stored, found, claimants } = counted;
    for (const counter of counters()) {
      part.count('counts');
      const [counts, objects] = [stored[counter], found[counter]];
      if (counts === objects) continue;
      const about = { tenant_id: tenant.id, counter, stored: counts, found: objects };
      const text = `tenant ${tenant.id}: ${counter} is stored as ${counts}, but ${objects} exist`;
      const remedy = `Set ${counter} of document objectCounts/${tenant.id} to ${objects}`;
      part.findings.push({ kind: 'count-differs', about, text, remedy });
    }
    part.count('names', claimants.length);
    for (const claimant of await unclaimed(store, claimants)) {
      const { kind, id, claim } = claimant;
      const text = `tenant ${tenant.id}: the name of ${kind} ${id} is not reserved, so another ${kind} can get it`;
      const remedy = `Create document names/${claim} with holder ${id}`;
      part.findings.push({ kind: 'name-unclaimed', about: { tenant_id: tenant.id, holder: id, claim }, text, remedy });
    }
  });
  return part;
}

function counters(): (Counter | 'federation_bytes')[] {
  return Object.keys(NONE).filter((name): name is keyof typeof NONE => Object.hasOwn(NONE, name));
}

/** Counts a tenant's objects. Counts again if the stored counts have changed: each creation or removal changes them. */
async function countUnchanged(store: Store, { id }: Tenant) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await store.findWithUpdateTime(OBJECT_COUNTS, id);
    const counted = await countObjects(store, id);
    const after = await store.findWithUpdateTime(OBJECT_COUNTS, id);
    const isSame = before === undefined ? after === undefined : after?.updateTime.isEqual(before.updateTime);
    if (isSame) return { stored: before?.doc ?? NONE, ...counted };
  }
  return undefined;
}

async function countObjects(store: Store, id: Tenant['id']) {
  const found = { ...NONE };
  const claimants: Claimant[] = [];
  for await (const keys of store.pages(KEYS_OF_TENANT, { equal: [id], anyOf: FILLING_STATES })) {
    for (const counter of keys.flatMap(({ tier }) => countersOf(tier))) found[counter] += 1;
    claimants.push(...keys.map((key) => ({ kind: 'key', id: key.id, claim: nameClaimOf(key) }) as const));
  }
  for await (const apiKeys of store.pages(API_KEYS_OF_TENANT, { equal: [id, null] })) {
    found.api_keys += apiKeys.length;
    for (const { federations } of apiKeys) found.federation_bytes += federationBytes(federations);
  }
  for await (const containers of store.pages(CONTAINERS_OF_TENANT, { equal: [id] })) {
    found.containers += containers.length;
    claimants.push(
      ...containers.map((one) => ({ kind: 'container', id: one.id, claim: containerClaim(one) }) as const),
    );
  }
  for await (const firewalls of store.pages(FIREWALLS_OF_TENANT, { equal: [id] })) {
    found.firewalls += firewalls.length;
    claimants.push(...firewalls.map((one) => ({ kind: 'firewall', id: one.id, claim: firewallClaim(one) }) as const));
  }
  return { found, claimants };
}

/** Returns the objects whose name has no claim document. Leaves out objects that were renamed or deleted during the check. */
async function unclaimed(store: Store, claimants: readonly Claimant[]): Promise<Claimant[]> {
  const claims = await store.findAll(
    CLAIMS,
    claimants.map(({ claim }) => claim),
  );
  const suspects = claimants.filter(({ id }, at) => claims[at]?.holder !== id);
  const findings: Claimant[] = [];
  for (const suspect of suspects) {
    const hasName = async () => (await findNamed(store, suspect.kind, [suspect.id]))[0]?.claim === suspect.claim;
    // A rename changes the name and the claim in one commit, so read the claim between two reads of the name.
    if (!(await hasName()) || (await store.find(CLAIMS, suspect.claim))?.holder === suspect.id) continue;
    if (await hasName()) findings.push(suspect);
  }
  return findings;
}
