/*
 * Adds tenants to the store: node bench/scale/fill.ts '{"tenants","keys","rows"}', in the service's environment.
 *
 * Writes the same documents as the service, with the service's code where no KMS is needed. `keys` and `rows` are
 * totals, divided evenly among the tenants. Each tenant also gets a member and an API key. Each key also gets its name
 * claim and a monthly count.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { appendEvent } from '../../shared/audit/event.ts';
import { makeEvent } from '../../shared/audit/record.ts';
import { hashSecret } from '../../shared/auth/argon2id.ts';
import { asCaller } from '../../shared/auth/authenticate.ts';
import { makeClock } from '../../shared/base/clock.ts';
import { FairQueue } from '../../shared/base/fair-queue.ts';
import { makeId } from '../../shared/base/ids.ts';
import { dayNameOf, monthOf } from '../../shared/base/month.ts';
import { readConfig } from '../../shared/config.ts';
import { KEYS, type Key } from '../../shared/keys/key.ts';
import { nameClaimOf } from '../../shared/lifecycle/claims.ts';
import { shardId, USAGE } from '../../shared/metering/counter.ts';
import { ACTIONS } from '../../shared/operations.ts';
import { openStore } from '../../shared/store/open-store.ts';
import type { Writes } from '../../shared/store/writes.ts';
import { API_KEYS, type ApiKey } from '../../shared/tenancy/api-key.ts';
import { CLAIMS } from '../../shared/tenancy/claim.ts';
import { OBJECT_COUNTS } from '../../shared/tenancy/object-counts.ts';
import { addTenant, type NewTenant, writeMembership } from '../../shared/tenancy/provision.ts';
import { makeMember } from '../../shared/tenancy/team.ts';
import type { Tier } from '../../shared/tiers.ts';

const PAID = ['wrapped', 'software', 'hsm'] as const;
const TENANTS_PER_COMMIT = 5;
const COMMITTING = { what: 'commits', owner: 'process', running: 4, runningPerOwner: 4 };
/** The length of a wrapped data key. The keys here have random bytes instead, because nothing unwraps them. */
const WRAPPED_BYTES = 96;

const size = z
  .object({ tenants: z.int().min(1), keys: z.int(), rows: z.int() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const { keyRing, ...config } = readConfig(process.env);
const store = openStore(config);
const clock = makeClock();
const secretHash = await hashSecret(randomUUID());

const starts = Array.from({ length: Math.ceil(size.tenants / TENANTS_PER_COMMIT) }, (_, n) => n * TENANTS_PER_COMMIT);
const queue = new FairQueue(COMMITTING);
const fill = (start: number) =>
  store.write((writes) => {
    const end = Math.min(start + TENANTS_PER_COMMIT, size.tenants);
    for (let tenant = start; tenant < end; tenant++) fillTenant(writes, tenant);
  });
await Promise.all(starts.map((start) => queue.run('', () => fill(start))));
process.exit(0);

function fillTenant(writes: Writes, number: number): void {
  const subjectId = randomBytes(32).toString('hex');
  const owner = makeMember(makeId(), { subjectId, email: null, name: null }, 'owner', clock.now());
  const made = addTenant(clock, writes, owner);
  const membership = { tenant_id: made.tenantId, role: 'owner' } as const;
  writeMembership(writes, subjectId, undefined, { user_id: owner.user_id, membership });
  const apiKey = makeApiKey(made);
  writes.create(API_KEYS, apiKey.id, apiKey);
  const [first, end] = [shareStart(size.keys, number), shareStart(size.keys, number + 1)];
  writes.add(OBJECT_COUNTS, made.tenantId, { keys: end - first, free_keys: Math.min(end - first, 1), api_keys: 1 });
  for (let key = first; key < end; key++) {
    // A tenant may have only one `free` key.
    const tier = key === first ? 'free' : (PAID[key % PAID.length] ?? 'wrapped');
    fillKey(writes, apiKey, makeKey(made, `key ${key}`, tier), rowsOfKey(key));
  }
}

function fillKey(writes: Writes, apiKey: ApiKey, key: Key, rows: number): void {
  const { tenant_id, container_id, id: key_id } = key;
  writes.create(KEYS, key_id, key);
  writes.create(CLAIMS, nameClaimOf(key), { holder: key_id });
  const now = clock.now();
  const month = monthOf(now);
  writes.increment(
    USAGE,
    shardId(key, month, 0),
    { ops: rows, days: { [dayNameOf(now)]: rows }, older_days: {} },
    { tenant_id, container_id, key_id, month },
  );
  for (let row = 0; row < rows; row++) {
    const origin = { requestId: randomUUID(), caller: asCaller(apiKey, undefined) };
    appendEvent(writes, makeEvent(clock, origin, 'encrypt', key_id));
  }
}

/** Returns the index of a tenant's first item, if a total of `all` items is divided evenly among the tenants. */
function shareStart(all: number, tenant: number): number {
  return Math.floor((all * tenant) / size.tenants);
}

function rowsOfKey(key: number): number {
  return Math.floor((size.rows * (key + 1)) / size.keys) - Math.floor((size.rows * key) / size.keys);
}

function makeApiKey({ tenantId, containerId }: NewTenant): ApiKey {
  const created_at = clock.now();
  return {
    id: makeId(),
    tenant_id: tenantId,
    container_id: containerId,
    name: 'first',
    secret_hash: secretHash,
    allowed_actions: [...ACTIONS],
    key_ids: null,
    firewall_id: null,
    created_at,
    last_used_at: created_at,
    revoked_at: null,
    expires_at: null,
    federations: [],
    has_token: true,
  };
}

function makeKey({ tenantId, containerId }: NewTenant, name: string, tier: Tier): Key {
  const id: Key['id'] = makeId();
  const created_at = clock.now();
  const material: Key['versions'][number]['material'] =
    tier === 'free' || tier === 'wrapped'
      ? { kind: 'data_key', wrapped: randomBytes(WRAPPED_BYTES) }
      : { kind: 'crypto_key_version', name: `${keyRing}/cryptoKeys/${id}/cryptoKeyVersions/1` };
  return {
    id,
    tenant_id: tenantId,
    container_id: containerId,
    name,
    tier,
    state: 'active',
    created_at,
    delete_requested_at: null,
    destroy_after: null,
    frozen_at: null,
    destroying: false,
    destroyed_at: null,
    primary_version: 1,
    versions: [{ version: 1, state: 'enabled', created_at, material }],
    deletions: [],
    unfinished_since: null,
    due_at: null,
    retry_at: null,
    rotations: 0,
  };
}
