import { KeyManagementServiceClient } from '@google-cloud/kms';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { portsOf } from '../../../emulators/stack/ports.ts';
import { KEY_RING, WRAPPED_ROOT } from '../../../emulators/stack/service-environment.ts';
import { checkCryptoKeys } from '../../../operator/checks/crypto-keys.ts';
import { checkKeys } from '../../../operator/checks/keys.ts';
import { outcome } from '../../support/client.ts';
import { kmsPrimary } from '../../support/kms.ts';
import { encrypt, operate, rotate } from '../../support/operations.ts';
import { ownStack } from '../../support/own-stack.ts';
import { destroyDueKeys, hourLater, mendStack, setClock } from '../../support/steer.ts';
import { withStore } from '../../support/stored.ts';
import { makeTenant, type Tenant } from '../../support/tenant.ts';
import { backUp, type Checking, findingsAbout, openChecking } from './checking.ts';

const stack = ownStack();
const DATA = Buffer.from('data').toString('base64');
const nameOf = (keyId: string, version: number) => `${KEY_RING}/cryptoKeys/${keyId}/cryptoKeyVersions/${version}`;

let checking: Checking;
let kms: KeyManagementServiceClient;
let tenant: Tenant;
beforeAll(async () => {
  checking = openChecking(stack, async (services, { adopt }) => [await checkKeys(services, adopt)]);
  kms = new KeyManagementServiceClient({
    apiEndpoint: '127.0.0.1',
    port: portsOf(stack).kms,
    sslCreds: credentials.createInsecure(),
    projectId: 'test',
    clientOptions: { universeDomain: 'googleapis.com' },
  });
  tenant = await makeTenant(stack);
});
afterAll(() => kms.close());

const decrypts = async (key: string, ciphertext: string) =>
  outcome(await operate(tenant.api, key, 'decrypt', { ciphertext }));
const encrypts = async (key: string) => outcome(await operate(tenant.api, key, 'encrypt', { plaintext: DATA }));

async function setState(name: string, state: 'ENABLED' | 'DISABLED' = 'ENABLED'): Promise<void> {
  await kms.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask: { paths: ['state'] } });
}

/** Returns the findings about a key. */
async function findingsOf(key: string) {
  return findingsAbout(await checking.run(), tenant).filter(({ about }) => about.key_id === key);
}

test('check-store reports rotations that the store has lost, and the key can encrypt again after --adopt has stored their versions', async () => {
  const key = await tenant.createKey('software');
  const restore = await backUp(stack, `keys/${key}`);
  const old = await encrypt(tenant.api, key, DATA);
  await rotate(tenant.api, key, 3);
  const since = await encrypt(tenant.api, key, DATA);
  await restore();

  expect(await decrypts(key, since)).toBe('200');
  expect(await encrypts(key)).toBe('500 internal_error');
  expect(await findingsOf(key)).toMatchObject([
    { kind: 'rotation-lost', about: { tier: 'software', primary: 1, newer: '2, 3, 4' } },
  ]);

  expect(await checking.kindsOf(tenant, { adopt: true })).toEqual(['adopted rotation-lost']);
  expect(await checking.kindsOf(tenant)).toEqual([]);
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
  const restore = await backUp(stack, `keys/${key}`);
  await rotate(tenant.api, key);
  const since = await encrypt(tenant.api, key, DATA);
  await kms.updateCryptoKeyPrimaryVersion({ name: `${KEY_RING}/cryptoKeys/${key}`, cryptoKeyVersionId: '1' });
  await restore();
  await checking.run({ adopt: true });
  await hourLater(stack);
  expect((await destroyDueKeys(stack)).failed).toBe(0);
  await mendStack(stack);
  expect(await kmsPrimary(stack, key)).toBe(2);
  expect(await decrypts(key, since)).toBe('200');
  expect(await findingsOf(key)).toEqual([]);
});

test('while a rotation of a key is in progress, check-store does not report an earlier rotation that the store has lost', async () => {
  const key = await tenant.createKey('software');
  const restore = await backUp(stack, `keys/${key}`);
  await rotate(tenant.api, key);
  await restore();
  await withStore(stack, (store) => store.doc(`keys/${key}`).update({ unfinished_since: new Date(), rotations: 1 }));
  expect(await findingsOf(key)).toEqual([]);
  await kms.destroyCryptoKeyVersion({ name: nameOf(key, 1) });
  expect(await findingsOf(key)).toMatchObject([{ kind: 'version-scheduled' }]);
  await kms.restoreCryptoKeyVersion({ name: nameOf(key, 1) });
  await setState(nameOf(key, 1));
  await withStore(stack, (store) => store.doc(`keys/${key}`).update({ unfinished_since: null, rotations: 0 }));
  expect(await findingsOf(key)).toMatchObject([{ kind: 'rotation-lost' }]);
  await checking.run({ adopt: true });
});

test('if the store has lost a rotation, check-store reports the version that the rotation created, even after a later rotation, and that version can still decrypt', async () => {
  const key = await tenant.createKey('hsm');
  const restore = await backUp(stack, `keys/${key}`);
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
  await withStore(stack, async (store) => {
    const { versions, ...rest } = (await store.doc(`keys/${missing}`).get()).data() ?? {};
    await store.doc(`keys/${copy}`).set({ ...rest, id: copy, name: 'copy', versions });
  });
  expect(await findingsOf(destroyed)).toMatchObject([
    {
      kind: 'version-destroyed',
      about: { version: 1, since: new Date(destroyedAt).toISOString().replace('Z', '000Z') },
    },
  ]);
  expect(await findingsOf(copy)).toMatchObject([{ kind: 'crypto-key-missing' }]);
  await withStore(stack, (store) => store.doc(`keys/${copy}`).delete());
});

test('check-store reports a version that is missing in the KMS', async () => {
  const key = await tenant.createKey('software');
  await withStore(stack, async (store) => {
    const [version] = (await store.doc(`keys/${key}`).get()).get('versions');
    const material = { ...version.material, name: nameOf(key, 7) };
    await store.doc(`keys/${key}`).update({ versions: [{ ...version, material }] });
  });
  const [missing] = await findingsOf(key);
  expect(missing).toMatchObject({ kind: 'version-missing', about: { version: 1, state: 'missing' } });
  await withStore(stack, (store) => store.doc(`keys/${key}`).update({ state: 'abandoned' }));
});

test.each(['free', 'wrapped'] as const)(
  'check-store reports a %s key whose data key the root key cannot unwrap',
  async (tier) => {
    const [key, other] = [await tenant.createKey(tier), await tenant.createKey('wrapped')];
    const restore = await backUp(stack, `keys/${key}`);
    await withStore(stack, async (store) => {
      const [version] = (await store.doc(`keys/${key}`).get()).get('versions');
      const [moved] = (await store.doc(`keys/${other}`).get()).get('versions');
      await store.doc(`keys/${key}`).update({ versions: [{ ...version, material: moved.material }] });
    });
    expect(await findingsOf(key)).toMatchObject([{ kind: 'data-key-unopened', about: { tier, version: 1 } }]);
    await restore();
    expect(await findingsOf(key)).toEqual([]);
  },
);

test('check-store reports a CryptoKey without a stored key, unless the CryptoKey’s material is scheduled for destruction', async () => {
  const key = await tenant.createKey('software');
  const restore = await backUp(stack, `keys/${key}`);
  await withStore(stack, (store) => store.doc(`keys/${key}`).delete());
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
