import { expect, test } from 'vitest';
import { KmsInventory } from '../../../shared/kms/inventory.ts';
import { Kms } from '../../../shared/kms/kms.ts';
import { createKey, createReadyHsmKey, DAY, HOUR, openKms, RING, START } from '../../emulators/kms-harness.ts';

/** The service’s KMS on an emulator, with a client for checks. */
async function open() {
  const { client } = await openKms();
  const kms = new Kms(RING, async () => client);
  const stateOf = async (name: string) => (await client.getCryptoKeyVersion({ name }))[0].state;
  return { client, kms, stateOf };
}

test('scheduling a version for destruction is idempotent, and a missing version is not an error', async () => {
  const { kms, stateOf } = await open();
  const name = await kms.createCryptoKey('k', 'SOFTWARE');
  expect(name).toBe(kms.firstVersion('k'));
  await kms.destroyVersion(name);
  await kms.destroyVersion(name);
  expect(await stateOf(name)).toBe('DESTROY_SCHEDULED');
  await kms.destroyVersion(kms.firstVersion('never-made'));
});

test('destruction waits until the HSM has generated the version', async () => {
  const { client, kms, stateOf } = await open();
  const parent = await createReadyHsmKey(client, 'k');
  const [{ name }] = await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
  await kms.destroyVersion(name ?? '');
  expect(await stateOf(name ?? '')).toBe('DESTROY_SCHEDULED');
});

test('decryption reports whether the primary version was used, and older versions still decrypt', async () => {
  const { kms } = await open();
  const [data, aad] = [Buffer.from('data'), Buffer.from('aad')];
  const first = await kms.createCryptoKey('k', 'SOFTWARE');
  const second = await kms.createVersion('k');
  const usedPrimary = async (version: string) => {
    const ciphertext = (await kms.encrypt(version, data, aad)) ?? Buffer.of();
    return (await kms.decrypt(kms.cryptoKey('k'), ciphertext, aad))?.usedPrimary;
  };
  expect([await usedPrimary(first), await usedPrimary(second)]).toEqual([true, false]);
  await kms.makePrimary('k', second);
  await kms.makePrimary('k', second);
  expect([await usedPrimary(first), await usedPrimary(second)]).toEqual([false, true]);
});

test('the primary version does not change to a destroyed or missing version', async () => {
  const { client, kms } = await open();
  const first = await kms.createCryptoKey('k', 'SOFTWARE');
  const second = await kms.createVersion('k');
  await kms.destroyVersion(second);
  await kms.makePrimary('k', second);
  await kms.makePrimary('k', `${kms.cryptoKey('k')}/cryptoKeyVersions/7`);
  const [{ primary }] = await client.getCryptoKey({ name: kms.cryptoKey('k') });
  expect(primary?.name).toBe(first);
});

test('the list of versions to destroy includes HSM versions that are being generated, and no destroyed versions', async () => {
  const { client, kms } = await open();
  const parent = await createReadyHsmKey(client, 'k');
  await kms.createVersion('k');
  await kms.destroyVersion(kms.firstVersion('k'));
  await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
  expect(await kms.listVersions('k')).toEqual([2, 3].map((id) => `${parent}/cryptoKeyVersions/${id}`));
});

test('the list of versions to destroy covers all pages, and is empty for a missing CryptoKey', async () => {
  const { client, kms } = await open();
  await kms.createCryptoKey('k', 'SOFTWARE');
  const parent = kms.cryptoKey('k');
  await Promise.all(Array.from({ length: 120 }, () => client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} })));
  expect(await kms.listVersions('k')).toHaveLength(121);
  expect(await kms.listVersions('never-made')).toEqual([]);
});

/** A limit that is high enough not to slow a test down. */
const READS_PER_MINUTE = 100_000;

async function openInventory() {
  const { client, clock } = await openKms();
  return { client, clock, inventory: new KmsInventory(async () => client, READS_PER_MINUTE) };
}

test('all CryptoKeys of a key ring are listed once, across pages', async () => {
  const { client, inventory } = await openInventory();
  const ids = Array.from({ length: 251 }, (_, n) => `key-${n}`);
  await Promise.all(ids.map((id) => createKey(client, id)));
  const pages = await Array.fromAsync(inventory.cryptoKeys(RING));
  expect(pages.map(({ length }) => length)).toEqual([250, 1]);
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(ids));
  expect(pages[1]?.[0]).toMatchObject({ createdAt: START * 1_000, name: expect.stringContaining(RING) });
});

test('versions in every state are listed oldest first, with the time of their destruction', async () => {
  const { client, clock, inventory } = await openInventory();
  const parent = await createKey(client, 'k');
  for (let n = 2; n <= 11; n++) await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
  const name = (number: number) => `${parent}/cryptoKeyVersions/${number}`;
  await client.destroyCryptoKeyVersion({ name: name(1) });
  clock.now += DAY - HOUR;
  await client.destroyCryptoKeyVersion({ name: name(2) });
  clock.now += 2 * HOUR;
  const versions = await inventory.versions(parent);
  expect(versions?.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(versions?.slice(0, 3)).toMatchObject([
    { state: 'DESTROYED', destroyAt: (START + DAY) * 1_000 },
    { state: 'DESTROY_SCHEDULED', destroyAt: (START + 2 * DAY - HOUR) * 1_000 },
    { name: name(3), state: 'ENABLED', createdAt: START * 1_000, destroyAt: null },
  ]);
});

test('listing the versions of a CryptoKey that does not exist returns undefined', async () => {
  const { inventory } = await openInventory();
  expect(await inventory.versions(`${RING}/cryptoKeys/never-made`)).toBeUndefined();
});
