import { describe, expect, test } from 'vitest';
import { CODE, createKey, createReadyHsmKey, openKms, RING } from './kms-harness.ts';

/** A key with five versions: 1 and 4 are scheduled for destruction, 3 is disabled. */
async function openWithVersions() {
  const { client } = await openKms();
  const parent = await createKey(client, 'k');
  for (const _ of [2, 3, 4, 5]) await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
  for (const id of [1, 4]) await client.destroyCryptoKeyVersion({ name: `${parent}/cryptoKeyVersions/${id}` });
  const disabled = { name: `${parent}/cryptoKeyVersions/3`, state: 'DISABLED' } as const;
  await client.updateCryptoKeyVersion({ cryptoKeyVersion: disabled, updateMask: { paths: ['state'] } });
  const listed = async (filter: string, pageSize = 0) => {
    const [versions] = await client.listCryptoKeyVersions({ parent, filter, pageSize });
    return versions.map(({ name }) => Number(name?.split('/').at(-1)));
  };
  return { client, parent, listed };
}

describe('versions filtered by state', () => {
  test.each([
    ['', [1, 2, 3, 4, 5]],
    ['state=ENABLED', [2, 5]],
    ['state = "ENABLED"', [2, 5]],
    ['state=ENABLED OR state=DISABLED', [2, 3, 5]],
    ['state=DESTROY_SCHEDULED', [1, 4]],
    ['state=PENDING_IMPORT', []],
  ])('a request with the filter %j lists the versions %j', async (filter, numbers) => {
    const { listed } = await openWithVersions();
    expect(await listed(filter)).toEqual(numbers);
  });

  test('each matching version is listed once across pages, even if a listed version stops matching before the next page', async () => {
    const { client, parent } = await openWithVersions();
    const request = { parent, filter: 'state=ENABLED', pageSize: 1 };
    const [first, next, answer] = await client.listCryptoKeyVersions(request, { autoPaginate: false });
    expect(answer.totalSize).toBe(2);
    await client.destroyCryptoKeyVersion({ name: first[0]?.name ?? null });
    const [second, none] = await client.listCryptoKeyVersions(next ?? {}, { autoPaginate: false });
    expect([...first, ...second].map(({ name }) => name)).toEqual(
      [2, 5].map((id) => `${parent}/cryptoKeyVersions/${id}`),
    );
    expect(none).toBeNull();
  });

  test('a new HSM version is listed as pending generation by the first request, and as enabled by the next', async () => {
    const { client } = await openKms();
    const parent = await createReadyHsmKey(client, 'k');
    await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
    const count = async (filter: string) => (await client.listCryptoKeyVersions({ parent, filter }))[0].length;
    expect(await count('state=PENDING_GENERATION')).toBe(1);
    expect([await count('state=PENDING_GENERATION'), await count('state=ENABLED')]).toEqual([0, 2]);
  });
});

test.each([
  ['an unknown state', 'state=GONE', CODE.invalidArgument],
  ['a field other than state', 'name:k', CODE.unimplemented],
  ['an operator other than =', 'state!=ENABLED', CODE.unimplemented],
  ['AND', 'state=ENABLED AND state=DISABLED', CODE.unimplemented],
  ['two terms without an operator', 'state=ENABLED state=DISABLED', CODE.unimplemented],
])('a version filter with %s is refused', async (_, filter, code) => {
  const { client, parent } = await openWithVersions();
  await expect(client.listCryptoKeyVersions({ parent, filter })).rejects.toMatchObject({ code });
});

test('a request to list keys is refused if it has a filter or an order', async () => {
  const { client } = await openKms();
  const refused = { code: CODE.unimplemented };
  await expect(client.listCryptoKeys({ parent: RING, filter: 'name:k' })).rejects.toMatchObject(refused);
  await expect(client.listCryptoKeys({ parent: RING, orderBy: 'name' })).rejects.toMatchObject(refused);
});
