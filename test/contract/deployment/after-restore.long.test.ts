import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DocumentData, Firestore } from '@google-cloud/firestore';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { readRedoLines } from '../../../operator/redo/read-lines.ts';
import { describeLost, redo as redoLines } from '../../../operator/redo/redo.ts';
import { AUDIT } from '../../../shared/audit/event.ts';
import { DAY_US, type Instant } from '../../../shared/base/clock.ts';
import {
  type ApiKeyId,
  type ContainerId,
  type FirewallId,
  type KeyId,
  makeId,
  type UserId,
} from '../../../shared/base/ids.ts';
import { parseMonth } from '../../../shared/base/month.ts';
import { parseInstant } from '../../../shared/base/rfc3339.ts';
import { ApiError } from '../../../shared/errors.ts';
import { KEYS, type Key } from '../../../shared/keys/key.ts';
import { nextRotation } from '../../../shared/keys/versions.ts';
import { createKey } from '../../../shared/lifecycle/create-key.ts';
import { asPending, requestDeletion, restoreKey } from '../../../shared/lifecycle/delete-key.ts';
import { destroyNow } from '../../../shared/lifecycle/destroy-key.ts';
import { replaceKey } from '../../../shared/lifecycle/due.ts';
import { freezeKey, thawKey } from '../../../shared/lifecycle/freeze-key.ts';
import { rotateKey } from '../../../shared/lifecycle/rotate-key.ts';
import { daysExisting } from '../../../shared/metering/allowance.ts';
import { ACTIONS } from '../../../shared/operations.ts';
import { readInstant } from '../../../shared/store/collection.ts';
import { Store } from '../../../shared/store/store.ts';
import { API_KEYS, type ApiKey } from '../../../shared/tenancy/api-key.ts';
import { changeApiKey, mintApiKey, revokeApiKey } from '../../../shared/tenancy/api-keys.ts';
import type { Person, SessionCaller } from '../../../shared/tenancy/caller.ts';
import type { Changed } from '../../../shared/tenancy/changed.ts';
import { FIREWALLS } from '../../../shared/tenancy/firewall.ts';
import { changeFirewall, createFirewall } from '../../../shared/tenancy/firewalls.ts';
import { acceptInvitation, invite, revokeInvitation } from '../../../shared/tenancy/invitations.ts';
import { dismiss, setRole } from '../../../shared/tenancy/members.ts';
import { OBJECT_COUNTS } from '../../../shared/tenancy/object-counts.ts';
import { provision } from '../../../shared/tenancy/provision.ts';
import type { RedoLine } from '../../../shared/tenancy/redo-log.ts';
import type { Role } from '../../../shared/tenancy/role.ts';
import { TEAMS } from '../../../shared/tenancy/team.ts';
import { loadTenant } from '../../../shared/tenancy/tenants.ts';
import { TIERS, type Tier } from '../../../shared/tiers.ts';
import { apiOf, firestoreOf } from '../../support/firestore.ts';
import { openInProcess } from '../../support/in-process.ts';

const stack = inject('stack');
/** Replaces the function that writes an audit row, so that only reapplied changes leave audit rows. */
const recordNothing = () => undefined;
const UNRESTRICTED = { keyIds: null, firewallId: null, expiresAt: null, federations: [], hasToken: true };
const wide = ['192.0.2.0/24'];
const narrow = ['192.0.2.0/26'];

/** The service with a separate store, so that a test can restore the store while the KMS keeps its state. */
let services: ReturnType<typeof openInProcess>['services'];
let logged: readonly Record<string, unknown>[];
let db: Firestore;
let owner: SessionCaller;
let containerId: ContainerId;
let backup: Backup;
beforeEach(async () => {
  const opened = openInProcess(stack);
  // The Firestore emulator keeps a separate database for each project.
  const project = `demo-restored-${randomUUID().slice(0, 8)}`;
  services = { ...opened.services, store: new Store(apiOf(stack, project)) };
  ({ logged } = opened);
  db = firestoreOf(stack, project);
  owner = await provision(services, aPerson());
  ({ default_container_id: containerId } = await loadTenant(services.store, owner.tenantId));
});
afterEach(() => db.terminate());

interface Backup {
  readonly at: Instant;
  readonly documents: ReadonlyMap<string, DocumentData>;
}

async function allDocuments(): Promise<Backup['documents']> {
  const documents = new Map<string, DocumentData>();
  for (const collection of await db.listCollections())
    for (const one of (await collection.get()).docs) documents.set(one.ref.path, one.data());
  return documents;
}

async function backUp(): Promise<void> {
  // The id is new each time, because Firestore does not update the write time of an unchanged document.
  const { writeTime } = await db.doc('backups/latest').set({ id: randomUUID() });
  backup = { at: readInstant(writeTime), documents: await allDocuments() };
}

async function restore({ documents }: Backup): Promise<void> {
  const batch = db.batch();
  for (const path of (await allDocuments()).keys()) batch.delete(db.doc(path));
  for (const [path, data] of documents) batch.set(db.doc(path), data);
  await batch.commit();
}

function linesSince(at: Instant): RedoLine[] {
  const text = logged.map((line) => `${JSON.stringify(line)}\n`).join('');
  return readRedoLines(text).filter(({ commit_time }) => commit_time > at);
}

interface RedoOptions {
  readonly at?: Instant;
  readonly destroy?: boolean;
  readonly dryRun?: boolean;
  /** Changes the order of the log lines before they are reapplied. */
  readonly shuffle?: (lines: readonly RedoLine[]) => readonly RedoLine[];
}

/** Reapplies the changes since the backup. Returns the counts that are not 0 and the messages to the operator. */
async function redo({ at = backup.at, destroy = false, dryRun = false, shuffle = (all) => all }: RedoOptions = {}) {
  const messages: string[] = [];
  const applying = { ...services, log: { write() {} }, destroy, tell: (line: string) => messages.push(line) };
  const report = await redoLines(applying, shuffle(linesSince(at)), dryRun);
  const counts = [...report].flatMap(([kind, outcomes]) =>
    Object.entries(outcomes).flatMap(([outcome, count]) => (count === 0 ? [] : `${kind}: ${count} ${outcome}`)),
  );
  return { counts, messages };
}

async function restoreAndRedo(options?: RedoOptions) {
  await restore(backup);
  return redo(options);
}

/** Returns the keys and versions that `operator/after-restore.ts` reports as lost: they can no longer decrypt. */
const lost = () => describeLost(services.store, linesSince(backup.at));

const aPerson = (): Person => ({ subjectId: makeId(), email: null, name: null });
const origin = () => ({ requestId: 'a request', caller: owner });

const aKey = (tier: Tier = 'wrapped'): Promise<Key> =>
  createKey(services, origin(), { tenantId: owner.tenantId, name: makeId(), tier, containerId });

async function anApiKey(): Promise<ApiKeyId> {
  const wanted = { tenantId: owner.tenantId, containerId, name: 'test', allowedActions: ACTIONS };
  return (await mintApiKey(services, { ...wanted, ...UNRESTRICTED }, recordNothing)).apiKey.id;
}

async function aFirewall(): Promise<FirewallId> {
  const wanted = { tenantId: owner.tenantId, containerId, name: makeId(), networks: wide };
  return (await createFirewall(services, wanted, recordNothing)).id;
}

const anInvitation = (role: Role) => invite(services, owner, { role, note: null }, recordNothing);

async function aMember(role: Role, person = aPerson()): Promise<SessionCaller> {
  const { token } = await anInvitation(role);
  return acceptInvitation(services, person, token, async () => true, recordNothing);
}

const change = (id: ApiKeyId, to: Parameters<typeof changeApiKey>[3]) =>
  changeApiKey(services, owner.tenantId, id, to, recordNothing);
const putNetworks = (id: FirewallId, networks: string[]) =>
  changeFirewall(services, owner.tenantId, id, { networks }, recordNothing);
const giveRole = ({ userId }: SessionCaller, role: Role) =>
  setRole(services, owner.tenantId, userId, role, recordNothing);
const remove = ({ userId }: SessionCaller) => dismiss(services, owner.tenantId, userId, recordNothing);

const instant = (text: string) => parseInstant(text) ?? expect.unreachable();
const apiKeyOf = (id: ApiKeyId) => services.store.find(API_KEYS, id);
const keyOf = async (id: KeyId) => (await services.store.find(KEYS, id)) ?? Promise.reject(new Error('no such key'));
const teamOf = async () => (await services.store.find(TEAMS, owner.tenantId)) ?? Promise.reject(new Error('no team'));
const roleOf = async (id: UserId) => (await teamOf()).members.find(({ user_id }) => user_id === id)?.role;

/** Returns the operation, user id, API key id and request id of each audit row that is not in the backup. */
async function newRows() {
  const isNew = (path: string) => path.startsWith('audit/') && !backup.documents.has(path);
  return [...(await allDocuments())]
    .filter(([path]) => isNew(path))
    .map(([, data]) => AUDIT.decode(data))
    .sort((one, other) => Number(one?.ts) - Number(other?.ts))
    .map((row) => [row?.operation, row?.user_id, row?.api_key_id, row?.request_id]);
}

test('after a restore, the changes since the backup are made again, and each is recorded without a caller', async () => {
  const [revoked, restricted, firewall] = [await anApiKey(), await anApiKey(), await aFirewall()];
  const [removed, lowered, inviter] = [await aMember('owner'), await aMember('owner'), await aMember('owner')];
  const [used, ended] = [await anInvitation('owner'), await anInvitation('owner')];
  await invite(services, inviter, { role: 'admin', note: null }, recordNothing);
  const [deleted, restored, frozen, thawed] = [await aKey(), await aKey(), await aKey(), await aKey()];
  await requestDeletion(services, origin(), await keyOf(restored.id));
  await freezeKey(services, origin(), await keyOf(thawed.id));
  await backUp();
  await revokeApiKey(services, owner.tenantId, revoked, recordNothing);
  await change(restricted, { allowed_actions: ['encrypt', 'decrypt'] });
  await putNetworks(firewall, narrow);
  await remove(removed);
  await giveRole(lowered, 'auditor');
  await giveRole(inviter, 'admin');
  await acceptInvitation(services, aPerson(), used.token, async () => true, recordNothing);
  await revokeInvitation(services, owner.tenantId, ended.invitation.id, recordNothing);
  await requestDeletion(services, origin(), await keyOf(deleted.id));
  await restoreKey(services, origin(), await keyOf(restored.id));
  await freezeKey(services, origin(), await keyOf(frozen.id));
  await thawKey(services, origin(), await keyOf(thawed.id));
  const { counts } = await restoreAndRedo();
  expect(counts.toSorted()).toEqual([
    ...['API key access restricted: 1 applied', 'API key revoked: 1 applied', 'firewall tightened: 1 applied'],
    ...['invitation ended: 1 already so', 'invitation ended: 2 applied', 'key deletion requested: 1 applied'],
    ...['key frozen: 1 applied', 'key restored: 1 applied', 'key thawed: 1 applied'],
    ...['member joined: 1 not in the store', 'member removed: 1 applied', 'role lowered: 2 applied'],
  ]);
  const recorded = await newRows();
  expect(recorded.map(([operation]) => operation).sort()).toEqual([
    ...['change_role', 'change_role', 'delete_key', 'freeze_key', 'remove_member', 'restore_key'],
    ...['revoke_api_key', 'revoke_invitation', 'revoke_invitation', 'thaw_key', 'update_api_key', 'update_firewall'],
  ]);
  expect(recorded.flatMap(([, ...by]) => by).filter((by) => by !== null)).toEqual([]);
});

test('reapplying the redo log removes all actions of an API key whose firewall is not in the backup, and the operator is told', async () => {
  const id = await anApiKey();
  await backUp();
  await change(id, { firewall_id: await aFirewall() });
  const { counts, messages } = await restoreAndRedo();
  expect(counts).toEqual(['API key access restricted: 1 applied']);
  expect(messages).toEqual([`API key ${id} lost all its actions: its firewall was created after the backup`]);
  expect(await apiKeyOf(id)).toMatchObject({ allowed_actions: [], firewall_id: null });
  expect((await redo()).counts).toEqual(['API key access restricted: 1 already so']);
});

test('if a member was removed and joined again after the backup, reapplying the redo log gives the member the lower of the two roles', async () => {
  const member = await aMember('owner');
  await backUp();
  await remove(member);
  await aMember('admin', member.person);
  expect((await restoreAndRedo()).counts).toContain('member joined: 1 applied');
  expect(await roleOf(member.userId)).toBe('admin');
});

test('reapplying the redo log does not remove the last owner of a tenant, and the operator is told', async () => {
  const next = await aMember('admin');
  await backUp();
  await giveRole(next, 'owner');
  await remove(owner);
  const { counts, messages } = await restoreAndRedo();
  expect(counts).toEqual(['member removed: 1 failed']);
  expect(messages).toEqual([expect.stringContaining('a tenant needs an owner')]);
  expect(await roleOf(owner.userId)).toBe('owner');
});

test('the report of lost keys lists each lost data key and each key that was created after the backup', async () => {
  const [wrapped, software] = [await aKey(), await aKey('software')];
  await backUp();
  for (const { id } of [wrapped, wrapped, software]) await rotateKey(services, origin(), await keyOf(id));
  const created = await aKey('hsm');
  await rotateKey(services, origin(), created);
  expect(await lost()).toEqual([]);
  await restore(backup);
  const expected = [
    expect.stringMatching(`^tenant ${owner.tenantId}, key ${wrapped.id}: version 3, since .*Z$`),
    expect.stringMatching(`^tenant ${owner.tenantId}, key ${created.id}: every version, since .*Z$`),
  ];
  expect(await lost()).toEqual(expected);
  await redo();
  expect(await lost()).toEqual(expected);
});

test('the report of lost keys omits keys that were destroyed after the backup', async () => {
  const key = await aKey();
  await backUp();
  await rotateKey(services, origin(), key);
  for (const { id } of [key, await aKey('software')]) await destroyNow(services, origin(), await keyOf(id));
  await restore(backup);
  expect(await lost()).toEqual([]);
});

test.each([false, true])(
  'if a key was destroyed after the backup, reapplying the redo log requests its deletion, at the time of an earlier request because billing ends then, and destroys it only with --destroy (earlier request: %s)',
  async (isEarlier) => {
    const { id } = await aKey('software');
    await backUp();
    const earlier = isEarlier ? await requestDeletion(services, origin(), await keyOf(id)) : undefined;
    await destroyNow(services, origin(), await keyOf(id));
    expect((await restoreAndRedo()).counts).toEqual(['key destroyed: 1 applied']);
    const pending = await keyOf(id);
    const { delete_requested_at } = earlier ?? pending;
    const deletions = [{ requested_at: delete_requested_at, restored_at: null }];
    expect(pending).toMatchObject({ state: 'pending_deletion', delete_requested_at, deletions });
    expect(pending.destroy_after).toBeGreaterThan(services.clock.now() + 6 * DAY_US);
    expect(await newRows()).toEqual([['delete_key', null, null, null]]);
    expect((await redo()).counts).toEqual(['key destroyed: 1 already so']);
    expect(await keyOf(id)).toEqual(pending);
    expect((await redo({ destroy: true })).counts).toEqual(['key destroyed: 1 applied']);
    expect(await keyOf(id)).toMatchObject({ state: 'destroyed', due_at: null, delete_requested_at, deletions });
    expect((await redo({ destroy: true })).counts).toEqual(['key destroyed: 1 already so']);
    expect((await services.store.find(OBJECT_COUNTS, owner.tenantId))?.keys).toBe(0);
  },
);

test('after the redo log is reapplied, a key that was restored and deleted again is billed up to the second deletion request', async () => {
  const key = await aKey();
  const first = instant('2026-10-30T12:00:00Z');
  const created = { ...key, created_at: instant('2026-10-01T12:00:00Z') };
  await services.store.write((writes) =>
    replaceKey(writes, asPending(created, first, instant('2026-11-06T12:00:00Z'))),
  );
  const target = { tenant_id: key.tenant_id, target_id: key.id };
  services.log.write('key restored', { ...target, commit_time: '2026-10-31T12:00:00Z' });
  const dates = { delete_requested_at: '2026-11-02T12:00:00Z', destroy_after: '2026-11-09T12:00:00Z' };
  services.log.write('key deletion requested', { ...target, ...dates, commit_time: '2026-11-02T12:00:00.5Z' });
  const { counts } = await redo({ at: first });
  expect(counts).toContain('key deletion requested: 1 applied');
  const after = await keyOf(key.id);
  expect(after.deletions).toEqual([{ requested_at: instant('2026-11-02T12:00:00Z'), restored_at: null }]);
  const days = ['2026-10', '2026-11'].map((text) => daysExisting(after, parseMonth(text) ?? expect.unreachable()));
  expect(days).toEqual([31, 2]);
  expect((await redo({ at: first })).counts).toContain('key deletion requested: 1 already so');
});

test.each(TIERS)(
  'after the redo log is reapplied, a %s key does not reuse the version numbers of rotations that the backup lacks',
  async (tier) => {
    const { id } = await aKey(tier);
    await backUp();
    for (let time = 0; time < 3; time++) await rotateKey(services, origin(), await keyOf(id));
    expect((await restoreAndRedo()).counts).toEqual(['key rotated: 1 applied']);
    expect(await newRows()).toEqual([]);
    const { primary_version, versions } = await rotateKey(services, origin(), await keyOf(id));
    expect(primary_version).toBe(5);
    expect(versions.filter(({ version }) => version !== 5).map(({ version }) => version)).toEqual([1]);
    expect((await rotateKey(services, origin(), await keyOf(id))).primary_version).toBe(6);
  },
);

test('reapplying the redo log skips changes to keys and API keys that were created after the backup', async () => {
  await backUp();
  const key = await aKey();
  await rotateKey(services, origin(), key);
  await requestDeletion(services, origin(), await keyOf(key.id));
  await revokeApiKey(services, owner.tenantId, await anApiKey(), recordNothing);
  expect((await restoreAndRedo()).counts).toEqual([
    'API key revoked: 1 not in the store',
    'key created: 1 not in the store',
    'key rotated: 1 not in the store',
    'key deletion requested: 1 not in the store',
  ]);
});

test('a dry run counts the changes in the redo log but writes nothing', async () => {
  const [id, key] = [await anApiKey(), await aKey()];
  await backUp();
  await revokeApiKey(services, owner.tenantId, id, recordNothing);
  await destroyNow(services, origin(), key);
  const applied = ['API key revoked: 1 applied', 'key destroyed: 1 applied'];
  expect((await restoreAndRedo({ dryRun: true, destroy: true })).counts).toEqual(applied);
  expect(await allDocuments()).toEqual(backup.documents);
});

async function makeObjects() {
  const twice = async <T>(make: () => Promise<T>) => [await make(), await make()];
  return {
    apiKeys: await twice(anApiKey),
    firewalls: await twice(aFirewall),
    members: [await aMember('auditor'), await aMember('admin'), await aMember('admin')],
    invitations: await twice(() => anInvitation('auditor')),
    keys: await twice(aKey),
  };
}

type Objects = Awaited<ReturnType<typeof makeObjects>>;

const EXPIRIES = [null, '2098-01-01T00:00:00.000000Z', '2099-01-01T00:00:00.000000Z'];
const FEDERATIONS = [[], ['a'], ['b'], ['a', 'b']].map((subjects) =>
  subjects.map((value) => ({ issuer: 'https://issuer.example', claims: [{ name: 'sub', value }] })),
);

/** Random changes. Those that narrow rights must be reapplied after a restore; those that widen rights may be lost. */
const CHANGES = {
  revoke: ({ apiKeys }: Objects, at: number) =>
    revokeApiKey(services, owner.tenantId, pick(apiKeys, at), recordNothing),
  removeActions: ({ apiKeys }, at) =>
    change(pick(apiKeys, at), { allowed_actions: ACTIONS.slice(0, at % ACTIONS.length) }),
  setKeyList: ({ apiKeys, keys }, at) => change(pick(apiKeys, at), { key_ids: [pick(keys, at >> 1).id] }),
  setFirewall: ({ apiKeys, firewalls }, at) => change(pick(apiKeys, at), { firewall_id: pick(firewalls, at >> 1) }),
  setExpiry: ({ apiKeys }, at) => change(pick(apiKeys, at), { expires_at: pick(EXPIRIES, at >> 1) }),
  setFederations: ({ apiKeys }, at) => change(pick(apiKeys, at), { federations: pick(FEDERATIONS, at >> 1) }),
  removeRestrictions: ({ apiKeys }, at) =>
    change(pick(apiKeys, at), { key_ids: null, firewall_id: null, allowed_actions: [...ACTIONS] }),
  tightenFirewall: ({ firewalls }, at) => putNetworks(pick(firewalls, at), narrow),
  openFirewall: ({ firewalls }, at) => putNetworks(pick(firewalls, at), wide),
  raiseRole: ({ members }, at) => giveRole(pick(members, at), 'admin'),
  lowerRole: ({ members }, at) => giveRole(pick(members, at), 'auditor'),
  remove: ({ members }, at) => remove(pick(members, at)),
  useInvitation: ({ invitations }, at) =>
    acceptInvitation(services, aPerson(), pick(invitations, at).token, async () => true, recordNothing),
  revokeInvited: ({ invitations }, at) =>
    revokeInvitation(services, owner.tenantId, pick(invitations, at).invitation.id, recordNothing),
  rotate: async ({ keys }, at) => rotateKey(services, origin(), await keyOf(pick(keys, at).id)),
  delete: async ({ keys }, at) => requestDeletion(services, origin(), await keyOf(pick(keys, at).id)),
  freeze: async ({ keys }, at) => freezeKey(services, origin(), await keyOf(pick(keys, at).id)),
  thaw: async ({ keys }, at) => thawKey(services, origin(), await keyOf(pick(keys, at).id)),
  restore: async ({ keys }, at) => restoreKey(services, origin(), await keyOf(pick(keys, at).id)),
} satisfies Record<string, (objects: Objects, at: number) => Promise<unknown>>;

function pick<Thing>(objects: readonly Thing[], at: number): Thing {
  const found = objects[at % objects.length];
  if (found === undefined) throw new Error('there is nothing to choose from');
  return found;
}

/** Returns the rights and states of the objects, in the order of their creation. */
async function rightsOf({ apiKeys, firewalls, members, invitations, keys }: Objects) {
  const { members: team, invitations: live } = await teamOf();
  const found = <Doc extends { id: string }>(docs: readonly (Doc | undefined)[]) => docs.flatMap((doc) => doc ?? []);
  return {
    apiKeys: found(await services.store.findAll(API_KEYS, apiKeys)),
    firewalls: found(await services.store.findAll(FIREWALLS, firewalls)).map(({ allowed_ips }) => allowed_ips),
    roles: members.map(({ userId }) => team.find(({ user_id }) => user_id === userId)?.role),
    invitations: invitations.map(({ invitation }) => live.some(({ id }) => id === invitation.id)),
    keys: await Promise.all(keys.map(({ id }) => keyOf(id))),
  };
}

type Rights = Awaited<ReturnType<typeof rightsOf>>;

/** Returns `rights` without the rights that a change removed. */
function withoutRemoved(rights: Rights, { before, after }: Changed<Rights>): Rights {
  return {
    apiKeys: rights.apiKeys.map((one, at) => {
      const [was, is] = [pick(before.apiKeys, at), pick(after.apiKeys, at)];
      return is.revoked_at !== null || isNarrower(was, is) ? is : one;
    }),
    firewalls: rights.firewalls.map((one, at) => (isDeepStrictEqual(pick(after.firewalls, at), narrow) ? narrow : one)),
    roles: rights.roles.map((one, at) => (one === 'admin' ? after.roles[at] : one && after.roles[at] && one)),
    invitations: rights.invitations.map((one, at) => one && pick(after.invitations, at)),
    keys: after.keys,
  };
}

function isNarrower(was: ApiKey, is: ApiKey): boolean {
  const hasLost = <T>(before: readonly T[], now: readonly T[]) => before.some((one) => !now.includes(one));
  const hasNarrowerList = is.key_ids !== null && (was.key_ids === null || hasLost(was.key_ids, is.key_ids));
  const hasOtherFirewall = is.firewall_id !== null && is.firewall_id !== was.firewall_id;
  const endsSooner = is.expires_at !== null && (was.expires_at === null || is.expires_at < was.expires_at);
  const hasLostWorkload = hasLost(was.federations.map(subjectOf), is.federations.map(subjectOf));
  const hasLostRight = hasLost(was.allowed_actions, is.allowed_actions) || hasNarrowerList || hasOtherFirewall;
  return hasLostRight || endsSooner || hasLostWorkload;
}

const subjectOf = ({ claims: [claim] }: ApiKey['federations'][number]) => claim?.value;

const changes = fc.array(fc.tuple(fc.constantFrom(...Object.values(CHANGES)), fc.nat({ max: 40 })), {
  minLength: 5,
  maxLength: 30,
});

test('after random changes, reapplying the redo log restores no right that was removed, whatever the order of the log lines, and reapplying it again changes nothing', async () => {
  const objects = await makeObjects();
  await backUp();
  const beginning = backup;
  await fc.assert(
    fc.asyncProperty(
      changes,
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      fc.array(fc.nat(), { minLength: 9 }),
      async (all, when, ranks) => {
        await restore(beginning);
        const shuffle = (lines: readonly RedoLine[]) =>
          [...lines, ...lines]
            .map((line, at) => ({ line, rank: pick(ranks, at) }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ line }) => line);
        const backedUpAfter = Math.floor(when * (all.length + 1));
        let before = await rightsOf(objects);
        let expected = before;
        await backUp();
        for (const [n, [make, at]] of all.entries()) {
          await make(objects, at).catch(refusedOnly);
          const after = await rightsOf(objects);
          expected = n < backedUpAfter ? after : withoutRemoved(expected, { before, after });
          if (n + 1 === backedUpAfter) await backUp();
          before = after;
        }
        await restore(backup);
        const { messages } = await redo({ shuffle });
        expect(messages).toEqual([]);
        const { keys, apiKeys, ...rest } = await rightsOf(objects);
        expect(rest).toEqual({
          firewalls: expected.firewalls,
          roles: expected.roles,
          invitations: expected.invitations,
        });
        expect(apiKeys.map(accessOf)).toEqual(expected.apiKeys.map(accessOf));
        expect(keys.map(lifeOf)).toEqual(expected.keys.map(lifeOf));
        for (const [at, key] of keys.entries())
          expect(nextRotation(key).version).toBeGreaterThan(pick(expected.keys, at).primary_version);
        const live = apiKeys.filter(({ revoked_at }) => revoked_at === null).length;
        expect((await services.store.find(OBJECT_COUNTS, owner.tenantId))?.api_keys).toBe(live);

        const documents = await allDocuments();
        const { counts } = await redo({ shuffle });
        expect(counts.filter((count) => /applied|failed/.test(count))).toEqual([]);
        expect(await allDocuments()).toEqual(documents);
      },
    ),
    // Failures are not shrunk, because shrinking would take longer than the timeout and hide the failure.
    { numRuns: 10, endOnFailure: true },
  );
});

function accessOf({ revoked_at, allowed_actions, key_ids, firewall_id, expires_at, federations }: ApiKey) {
  return revoked_at === null ? { allowed_actions, key_ids, firewall_id, expires_at, federations } : 'revoked';
}

function lifeOf({ state, delete_requested_at, destroy_after, deletions, frozen_at }: Key) {
  return { state, delete_requested_at, destroy_after, deletions, frozen_at };
}

function refusedOnly(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
