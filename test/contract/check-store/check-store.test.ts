import { randomUUID } from 'node:crypto';
import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY_RING, WRAPPED_ROOT } from '../../../emulators/stack/service-environment.ts';
import { checkClaims } from '../../../operator/checks/claims.ts';
import { checkCryptoKeys } from '../../../operator/checks/crypto-keys.ts';
import { checkKeys } from '../../../operator/checks/keys.ts';
import { checkObjects } from '../../../operator/checks/objects.ts';
import { checkOperations } from '../../../operator/checks/operations.ts';
import { type ContainerId, idSchema } from '../../../shared/base/ids.ts';
import { CLAIMS, nameClaim } from '../../../shared/tenancy/claim.ts';
import { list, outcome } from '../../support/client.ts';
import { countsOf, setCount } from '../../support/counts.ts';
import { firestoreOf } from '../../support/firestore.ts';
import { forgetTenants } from '../../support/forget.ts';
import { kmsOf, kmsPrimary } from '../../support/kms.ts';
import { bodiesFor, encrypt, METERED, operate, randomBase64, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, hourLater, mendStack, readClock, setClock } from '../../support/steer.ts';
import { ALL_TIERS, makeContainer, makeFirewall, makeTenant, type Tenant } from '../../support/tenant.ts';
import { lineOf, setOps } from '../../support/usage.ts';
import { backUp, type Checking, findingsAbout, openChecking } from './checking.ts';

const stack = ownStack();
const DATA = Buffer.from('data').toString('base64');
const nameOf = (keyId: string, version: number) => `${KEY_RING}/cryptoKeys/${keyId}/cryptoKeyVersions/${version}`;

let db: Firestore;
let checking: Checking;
let tenant: Tenant;
let month: string;
beforeAll(async () => {
  month = (await readClock(stack)).slice(0, 7);
  await forgetTenants(stack);
  db = firestoreOf(stack);
  // Only the checks that need neither the KMS nor Stripe.
  checking = openChecking(stack, async (services, { since }) => [
    await checkObjects(services),
    await checkClaims(services),
    await checkOperations(services, since),
  ]);
  tenant = await makeTenant(stack);
});
afterAll(() => db.terminate());

test('check-store reports nothing about a tenant that has used every feature', async () => {
  const container_id = await makeContainer(tenant);
  await tenant.mint({ firewall_id: await makeFirewall(tenant) });
  await tenant.mint({ container_id });
  for (const tier of ALL_TIERS) {
    const key = await tenant.createKey(tier);
    await rotate(tenant.api, key, tier === 'software' ? 4 : 1);
    const bodies = await bodiesFor(tenant.api, key);
    for (const operation of METERED)
      expect(outcome(await operate(tenant.api, key, operation, bodies[operation]))).toBe('200');
    await operate(tenant.api, key, 'decrypt', { ciphertext: randomBase64(40) });
    await tenant.api.send('PATCH', `/v1/keys/${key}`, { name: randomUUID() });
  }
  const [gone, revoked] = [await makeContainer(tenant), (await tenant.mint()).id];
  for (const path of [`firewalls/${await makeFirewall(tenant)}`, `containers/${gone}`, `api-keys/${revoked}`])
    expect(outcome(await tenant.console.send('DELETE', `/v1/${path}`))).toBe('204');
  const [pending, destroyed] = [await tenant.createKey('hsm'), await tenant.createKey('software')];
  await tenant.api.send('DELETE', `/v1/keys/${pending}`);
  expect(outcome(await tenant.console.send('POST', `/v1/keys/${destroyed}/destroy`))).toBe('204');
  const parts = await openChecking(stack).run({ since: month });
  expect(findingsAbout(parts, tenant)).toEqual([]);
  expect(parts.map(({ title, checked }) => [title, checked])).toEqual([
    ['Keys against the KMS', { 'live keys': 5, 'enabled versions': 8, 'keys being destroyed, not checked': 0 }],
    [
      'CryptoKeys against stored keys',
      { CryptoKeys: expect.any(Number), 'without a stored key, and destroyed': expect.any(Number) },
    ],
    ['Object counts against the objects', { tenants: 1, counts: 6, names: 8, 'tenants being changed, not counted': 0 }],
    ['Name claims against the objects that hold them', { claims: 8 }],
    ['Counts of operations against audit rows', { 'months of keys': 4, operations: 24, rows: 24 }],
    ['Subscriptions against Stripe', { 'tenants with a customer': 1, 'customers at Stripe': expect.any(Number) }],
    ['Months against invoices at Stripe', { 'months of tenants': 1, statements: 0, invoices: 0 }],
  ]);
});

test.each(['keys', 'free_keys', 'api_keys', 'containers', 'firewalls'] as const)(
  'check-store reports a stored count of %s that differs from the number of objects',
  async (counter) => {
    const before = (await countsOf(stack, tenant.id))[counter];
    await setCount(stack, tenant.id, counter, before + 1);
    const findings = findingsAbout(await checking.run(), tenant);
    expect(findings).toMatchObject([{ kind: 'count-differs', about: { counter, stored: before + 1, found: before } }]);
    await setCount(stack, tenant.id, counter, before);
  },
);

test('check-store reports a tenant that has objects but no stored counts', async () => {
  const restore = await backUp(db, `objectCounts/${tenant.id}`);
  await db.doc(`objectCounts/${tenant.id}`).delete();
  expect(new Set(await checking.kindsOf(tenant))).toEqual(new Set(['count-differs']));
  await restore();
});

test('check-store reports a key, a container or a firewall whose name is not reserved', async () => {
  const holders = new Map<string, string>();
  for (const { id, ref } of (await db.collection('names').get()).docs) {
    const kind = id.split(':')[1] ?? '';
    if (holders.has(kind)) continue;
    holders.set(kind, id);
    await ref.delete();
  }
  expect([...holders.keys()].sort()).toEqual(['container', 'firewall', 'key']);
  const findings = findingsAbout(await checking.run(), tenant);
  expect(findings.map(({ kind }) => kind)).toEqual(Array(3).fill('name-unclaimed'));
  expect(new Set(findings.map(({ about }) => about.claim))).toEqual(new Set(holders.values()));
  for (const { about } of findings)
    await db.doc(`names/${about.claim}`).set(CLAIMS.encode({ holder: String(about.holder) }));
  expect(await checking.kindsOf(tenant)).toEqual([]);
});

test('check-store reports a reserved name whose object is missing or has a different name', async () => {
  const [container] = list(await tenant.console.send('GET', '/v1/containers'));
  const scope = idSchema<ContainerId>().parse(container?.id);
  const [orphaned, renamed] = [nameClaim('key', scope, randomUUID()), nameClaim('key', scope, randomUUID())];
  const key = await tenant.createKey('wrapped');
  await db.doc(`names/${orphaned}`).set(CLAIMS.encode({ holder: randomUUID() }));
  await db.doc(`names/${renamed}`).set(CLAIMS.encode({ holder: key }));
  const findings = (await checking.run()).flatMap((part) => part.findings).filter(({ kind }) => kind === 'name-held');
  expect(new Set(findings.map(({ about }) => about.claim))).toEqual(new Set([orphaned, renamed]));
  for (const claim of [orphaned, renamed]) await db.doc(`names/${claim}`).delete();
});

test.each([
  ['more', 1],
  ['fewer', -1],
])(
  'check-store reports a key and the month if the stored count has %s operations than the audit log of the key',
  async (_, difference) => {
    const key = await tenant.createKey('wrapped');
    for (let n = 0; n < 3; n++) await encrypt(tenant.api, key, randomBase64(8));
    // check-store skips the last minutes, whose audit rows may not be stored yet. The later clock includes the
    // operations above.
    checking.setClock(new Date(Date.now() + 3 * 60_000).toISOString());
    expect(await checking.kindsOf(tenant)).toEqual([]);
    const { ops } = await lineOf(tenant.console, key);
    await setOps(tenant.api, key, month, ops + difference);
    expect(findingsAbout(await checking.run(), tenant)).toMatchObject([
      { kind: 'operations-differ', about: { key_id: key, month, counted: 3 + difference, rows: 3 } },
    ]);
    await setOps(tenant.api, key, month, ops);
  },
);

describe('the keys in the KMS', () => {
  let keyChecking: Checking;
  let kms: ReturnType<typeof kmsOf>;
  beforeAll(async () => {
    keyChecking = openChecking(stack, async (services, { adopt }) => [await checkKeys(services, adopt)]);
    kms = kmsOf(stack);
    tenant = await makeTenant(stack);
  });
  afterAll(() => kms.close());

  const decrypts = async (key: string, ciphertext: string) =>
    outcome(await operate(tenant.api, key, 'decrypt', { ciphertext }));
  const encrypts = async (key: string) => outcome(await operate(tenant.api, key, 'encrypt', { plaintext: DATA }));

  async function setState(name: string, state: 'ENABLED' | 'DISABLED' = 'ENABLED'): Promise<void> {
    await kms.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask: { paths: ['state'] } });
  }

  async function findingsOf(key: string) {
    return findingsAbout(await keyChecking.run(), tenant).filter(({ about }) => about.key_id === key);
  }

  test('check-store reports rotations that the store has lost, and the key can encrypt again after --adopt has stored their versions', async () => {
    const key = await tenant.createKey('software');
    const restore = await backUp(db, `keys/${key}`);
    const old = await encrypt(tenant.api, key, DATA);
    await rotate(tenant.api, key, 3);
    const since = await encrypt(tenant.api, key, DATA);
    await restore();

    expect(await decrypts(key, since)).toBe('200');
    expect(await encrypts(key)).toBe('500 internal_error');
    expect(await findingsOf(key)).toMatchObject([
      { kind: 'rotation-lost', about: { tier: 'software', primary: 1, newer: '2, 3, 4' } },
    ]);

    expect(await keyChecking.kindsOf(tenant, { adopt: true })).toEqual(['adopted rotation-lost']);
    expect(await keyChecking.kindsOf(tenant)).toEqual([]);
    expect(await encrypts(key)).toBe('200');
    expect(await decrypts(key, since)).toBe('200');
    expect(await decrypts(key, old)).toBe('400 invalid_ciphertext');
    expect((await tenant.api.send('GET', `/v1/keys/${key}`)).body).toMatchObject({
      primary_version: 4,
      versions: [
        { version: 1, state: 'destroy_scheduled' },
        { version: 2, state: 'enabled' },
        { version: 3, state: 'enabled' },
        { version: 4, state: 'enabled' },
      ],
    });
    await rotate(tenant.api, key);
    expect((await tenant.api.send('GET', `/v1/keys/${key}`)).body).toMatchObject({ primary_version: 5 });
  });

  test('versions stored by --adopt stay usable after destroy-due-keys sets the primary version in the KMS', async () => {
    const key = await tenant.createKey('hsm');
    const restore = await backUp(db, `keys/${key}`);
    await rotate(tenant.api, key);
    const since = await encrypt(tenant.api, key, DATA);
    await kms.updateCryptoKeyPrimaryVersion({ name: `${KEY_RING}/cryptoKeys/${key}`, cryptoKeyVersionId: '1' });
    await restore();
    await keyChecking.run({ adopt: true });
    await hourLater(stack);
    expect((await destroyDueKeys(stack)).failed).toBe(0);
    await mendStack(stack);
    expect(await kmsPrimary(stack, key)).toBe(2);
    expect(await decrypts(key, since)).toBe('200');
    expect(await findingsOf(key)).toEqual([]);
  });

  test('while a rotation of a key is in progress, check-store does not report an earlier rotation that the store has lost', async () => {
    const key = await tenant.createKey('software');
    const restore = await backUp(db, `keys/${key}`);
    await rotate(tenant.api, key);
    await restore();
    await db.doc(`keys/${key}`).update({ unfinished_since: new Date(), rotations: 1 });
    expect(await findingsOf(key)).toEqual([]);
    await kms.destroyCryptoKeyVersion({ name: nameOf(key, 1) });
    expect(await findingsOf(key)).toMatchObject([{ kind: 'version-scheduled' }]);
    await kms.restoreCryptoKeyVersion({ name: nameOf(key, 1) });
    await setState(nameOf(key, 1));
    await db.doc(`keys/${key}`).update({ unfinished_since: null, rotations: 0 });
    expect(await findingsOf(key)).toMatchObject([{ kind: 'rotation-lost' }]);
    await keyChecking.run({ adopt: true });
  });

  test('if the store has lost a rotation, check-store reports the version that the rotation created, even after a later rotation, and that version can still decrypt', async () => {
    const key = await tenant.createKey('hsm');
    const restore = await backUp(db, `keys/${key}`);
    await rotate(tenant.api, key);
    const since = await encrypt(tenant.api, key, DATA);
    await restore();
    await rotate(tenant.api, key);
    expect(await findingsOf(key)).toMatchObject([{ kind: 'version-unlisted', about: { name: nameOf(key, 2) } }]);
    expect(await decrypts(key, since)).toBe('200');
    await kms.destroyCryptoKeyVersion({ name: nameOf(key, 2) });
    expect(await findingsOf(key)).toEqual([]);
  });

  test('check-store reports a version that is scheduled for destruction, with the commands that restore and enable it', async () => {
    const key = await tenant.createKey('software');
    await kms.destroyCryptoKeyVersion({ name: nameOf(key, 1) });
    const [found] = await findingsOf(key);
    const where = `1 --key=${key} --keyring=tenants --location=local --project=demo-encryption`;
    expect(found).toMatchObject({
      kind: 'version-scheduled',
      about: {
        version: 1,
        until: expect.stringMatching(/Z$/),
        repair: `gcloud kms keys versions restore ${where} && gcloud kms keys versions enable ${where}`,
      },
    });
    await kms.restoreCryptoKeyVersion({ name: nameOf(key, 1) });
    expect(await findingsOf(key)).toMatchObject([{ kind: 'version-disabled', about: { state: 'DISABLED' } }]);
    await setState(nameOf(key, 1));
    expect(await findingsOf(key)).toEqual([]);
  });

  test('check-store reports a destroyed version with the time of its destruction, and reports a key without a CryptoKey', async () => {
    const [destroyed, missing] = [await tenant.createKey('hsm'), await tenant.createKey('software')];
    const [{ destroyTime }] = await kms.destroyCryptoKeyVersion({ name: nameOf(destroyed, 1) });
    const destroyedAt = Number(destroyTime?.seconds) * 1_000 + Number(destroyTime?.nanos) / 1_000_000;
    await setClock(stack, new Date(destroyedAt + 60_000).toISOString());
    const copy = crypto.randomUUID();
    const { versions, ...rest } = (await db.doc(`keys/${missing}`).get()).data() ?? {};
    await db.doc(`keys/${copy}`).set({ ...rest, id: copy, name: 'copy', versions });
    expect(await findingsOf(destroyed)).toMatchObject([
      {
        kind: 'version-destroyed',
        about: { version: 1, since: new Date(destroyedAt).toISOString().replace('Z', '000Z') },
      },
    ]);
    expect(await findingsOf(copy)).toMatchObject([{ kind: 'crypto-key-missing' }]);
    await db.doc(`keys/${copy}`).delete();
  });

  test('check-store reports a version that is missing in the KMS', async () => {
    const key = await tenant.createKey('software');
    const [version] = (await db.doc(`keys/${key}`).get()).get('versions');
    const material = { ...version.material, name: nameOf(key, 7) };
    await db.doc(`keys/${key}`).update({ versions: [{ ...version, material }] });
    const [missing] = await findingsOf(key);
    expect(missing).toMatchObject({ kind: 'version-missing', about: { version: 1, state: 'missing' } });
    await db.doc(`keys/${key}`).update({ state: 'abandoned' });
  });

  test.each(['free', 'wrapped'] as const)(
    'check-store reports a %s key whose data key the root key cannot unwrap',
    async (tier) => {
      const [key, other] = [await tenant.createKey(tier), await tenant.createKey('wrapped')];
      const restore = await backUp(db, `keys/${key}`);
      const [version] = (await db.doc(`keys/${key}`).get()).get('versions');
      const [moved] = (await db.doc(`keys/${other}`).get()).get('versions');
      await db.doc(`keys/${key}`).update({ versions: [{ ...version, material: moved.material }] });
      expect(await findingsOf(key)).toMatchObject([{ kind: 'data-key-unopened', about: { tier, version: 1 } }]);
      await restore();
      expect(await findingsOf(key)).toEqual([]);
    },
  );

  test('check-store reports a CryptoKey without a stored key, unless the CryptoKey’s material is scheduled for destruction', async () => {
    const key = await tenant.createKey('software');
    const restore = await backUp(db, `keys/${key}`);
    await db.doc(`keys/${key}`).delete();
    const ring = openChecking(stack, async (services) => [await checkCryptoKeys(services)]);
    const unknown = async () => {
      const findings = (await ring.run()).flatMap((part) => part.findings);
      return findings.filter(({ about }) => about.crypto_key === `${KEY_RING}/cryptoKeys/${key}`);
    };
    expect(await unknown()).toMatchObject([
      { kind: 'crypto-key-unknown', about: { created_at: expect.stringMatching(/Z$/) } },
    ]);
    await kms.destroyCryptoKeyVersion({ name: nameOf(key, 1) });
    expect(await unknown()).toEqual([]);
    await kms.restoreCryptoKeyVersion({ name: nameOf(key, 1) });
    await restore();
  });

  test('check-store reports a data key that was wrapped by a disabled root version, with the command that enables the version', async () => {
    const key = await tenant.createKey('wrapped');
    await setState(`${WRAPPED_ROOT}/cryptoKeyVersions/1`, 'DISABLED');
    const [found] = await findingsOf(key);
    await setState(`${WRAPPED_ROOT}/cryptoKeyVersions/1`);
    expect(found).toMatchObject({
      kind: 'data-key-unopened',
      text: expect.stringMatching(/version 1 of the root is DISABLED$/),
      remedy: expect.stringContaining('gcloud kms keys versions enable 1 --key=wrapped-root '),
    });
    expect(await findingsOf(key)).toEqual([]);
  });
});
