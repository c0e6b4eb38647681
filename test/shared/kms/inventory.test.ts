import { expect, test } from 'vitest';
import { KmsInventory } from '../../../shared/kms/inventory.ts';
import { createKey, DAY, HOUR, openKms, RING, START } from '../../emulators/kms-harness.ts';

/** A limit that is high enough not to slow a test down. */
const READS_PER_MINUTE = 100_000;

async function open() {
  const { client, clock } = await openKms();
  return { client, clock, inventory: new KmsInventory(async () => client, READS_PER_MINUTE) };
}

test('all CryptoKeys of a key ring are listed once, across pages', async () => {
  const { client, inventory } = await open();
  const ids = Array.from({ length: 251 }, (_, n) => `key-${n}`);
  await Promise.all(ids.map((id) => createKey(client, id)));
  const pages = await Array.fromAsync(inventory.cryptoKeys(RING));
  expect(pages.map(({ length }) => length)).toEqual([250, 1]);
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(ids));
  expect(pages[1]?.[0]).toMatchObject({ createdAt: START * 1_000, name: expect.stringContaining(RING) });
});

test('versions in every state are listed oldest first, with the time of their destruction', async () => {
  const { client, clock, inventory } = await open();
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
  const { inventory } = await open();
  expect(await inventory.versions(`${RING}/cryptoKeys/never-made`)).toBeUndefined();
});
