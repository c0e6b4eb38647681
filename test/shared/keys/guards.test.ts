import { expect, test } from 'vitest';
import { DAY_US, makeInstant } from '../../../shared/base/clock.ts';
import { type ContainerId, type KeyId, makeId, type TenantId } from '../../../shared/base/ids.ts';
import { isOwn, refuseKeyList, refusePending, refuseUnlisted } from '../../../shared/keys/guards.ts';
import { keyAnswer, viewKey } from '../../../shared/keys/view.ts';
import type { ApiKeyCaller, SessionCaller } from '../../../shared/tenancy/caller.ts';
import { aKey, CREATED } from './a-key.ts';

const key = aKey();
const apiKey: ApiKeyCaller = {
  kind: 'api_key',
  tenantId: key.tenant_id,
  containerId: key.container_id,
  apiKeyId: makeId(),
  name: 'orders',
  allowedActions: [],
  keyIds: null,
  firewallId: null,
  expiresAt: null,
  workload: null,
};
const session: SessionCaller = {
  kind: 'session',
  role: 'owner',
  tenantId: key.tenant_id,
  userId: makeId(),
  person: { subjectId: 'subject', email: null, name: null },
};
function notAllowed(message: string) {
  return expect.objectContaining({ code: 'key_not_allowed', message });
}

const otherContainer = { containerId: makeId<ContainerId>() };
const otherTenant = { tenantId: makeId<TenantId>() };

test.each([
  ['is reachable', 'an API key of its container', apiKey],
  ['is not reachable', 'an API key of another container of the tenant', { ...apiKey, ...otherContainer }],
  ['is not reachable', 'an API key of another tenant', { ...apiKey, ...otherTenant, ...otherContainer }],
  ['is not reachable', 'an API key of another tenant with the same container id', { ...apiKey, ...otherTenant }],
  ['is reachable', 'a session of its tenant', session],
  ['is not reachable', 'a session of another tenant', { ...session, ...otherTenant }],
])('a key %s by %s', (reachable, _, caller) => {
  expect(isOwn(key, caller)).toBe(reachable === 'is reachable');
});

test.each([
  ['no key list', { ...apiKey, keyIds: null }],
  ['a key list that names the key', { ...apiKey, keyIds: [makeId<KeyId>(), key.id] }],
  ['a session', session],
])('a key may be used by a caller with %s', (_, caller) => {
  expect(() => refuseUnlisted(caller, key.id)).not.toThrow();
});

test.each([
  ['a key list of other keys', { ...apiKey, keyIds: [makeId<KeyId>()] }],
  ['an empty key list', { ...apiKey, keyIds: [] }],
])('an API key cannot use a key that its key list does not name, whether the key exists or not: %s', (_, caller) => {
  const refused = notAllowed("this key is not in the api key's key list");
  expect(() => refuseUnlisted(caller, key.id)).toThrow(refused);
  expect(() => refuseUnlisted(caller, makeId())).toThrow(refused);
});

test('an API key with a key list cannot create keys', () => {
  const refused = notAllowed('an api key with a key list cannot create keys');
  expect(() => refuseKeyList({ ...apiKey, keyIds: [key.id] })).toThrow(refused);
  expect(() => refuseKeyList({ ...apiKey, keyIds: [] })).toThrow(refused);
  expect(() => refuseKeyList(apiKey)).not.toThrow();
  expect(() => refuseKeyList(session)).not.toThrow();
});

const destroyAfter = makeInstant(CREATED + 7 * DAY_US);
const pending = aKey({ state: 'pending_deletion', delete_requested_at: CREATED, destroy_after: destroyAfter });

function messageAt(us: number): string {
  try {
    refusePending(pending, { now: () => makeInstant(us) });
  } catch (error) {
    expect(error).toMatchObject({ code: 'key_pending_deletion' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('not refused');
}

test('use of a key pending deletion is refused, and the error names the time of destruction', () => {
  expect(messageAt(CREATED)).toContain('2026-10-22T12:00:00.000000Z');
  expect(messageAt(destroyAfter - 1)).toContain('2026-10-22T12:00:00.000000Z');
});

test('use of a key that is due for destruction is refused, and the error says that the key can no longer be restored', () => {
  expect(messageAt(destroyAfter)).toContain('can no longer be restored');
  expect(messageAt(destroyAfter + DAY_US)).toContain('can no longer be restored');
});

test('use of an active key is not refused', () => {
  expect(() => refusePending(key, { now: () => CREATED })).not.toThrow();
});

test.each([
  ['enabled', 'enabled'],
  ['retiring', 'destroy_scheduled'],
  ['destroy_scheduled', 'destroy_scheduled'],
] as const)('a version in the state %s is shown as %s', (state, shown) => {
  const key = aKey();
  const versions = key.versions.map((version) => ({ ...version, state }));
  expect(viewKey({ ...key, versions }).versions).toEqual([expect.objectContaining({ state: shown })]);
});

test('the key object matches the documented schema and does not reveal the names of CryptoKeys', () => {
  const view = viewKey(aKey());
  expect(keyAnswer.parse(view)).toEqual(view);
  expect(JSON.stringify(view)).not.toContain('cryptoKeys');
});
