import { describe, expect, test } from 'vitest';
import { CODE, createKey, LOCATION, openKms, RING } from './kms-harness.ts';

describe('names', () => {
  test.each(['', 'a/b', 'a b', 'ü', 'x'.repeat(64)])('%j is not a valid id', async (id) => {
    const { client } = await openKms();
    const refused = { code: CODE.invalidArgument };
    await expect(client.createKeyRing({ parent: LOCATION, keyRingId: id, keyRing: {} })).rejects.toMatchObject(refused);
    await expect(createKey(client, id)).rejects.toMatchObject(refused);
  });

  test('an id may have 63 letters, digits, underscores and hyphens', async () => {
    const { client } = await openKms();
    const id = `${'x'.repeat(59)}A_-9`;
    expect(await createKey(client, id)).toBe(`${RING}/cryptoKeys/${id}`);
  });

  test('a malformed name is INVALID_ARGUMENT', async () => {
    const { client } = await openKms();
    const key = await createKey(client, 'k');
    const refused = { code: CODE.invalidArgument };
    const plaintext = Buffer.from('x');
    await expect(client.getKeyRing({ name: key })).rejects.toMatchObject(refused);
    await expect(client.getCryptoKey({ name: RING })).rejects.toMatchObject(refused);
    await expect(client.getCryptoKey({ name: `${key}/` })).rejects.toMatchObject(refused);
    for (const id of ['0', '01', 'x', '']) {
      const name = `${key}/cryptoKeyVersions/${id}`;
      await expect(client.getCryptoKeyVersion({ name })).rejects.toMatchObject(refused);
      await expect(client.encrypt({ name, plaintext })).rejects.toMatchObject(refused);
    }
    await expect(client.decrypt({ name: `${key}/cryptoKeyVersions/1`, ciphertext: plaintext })).rejects.toMatchObject(
      refused,
    );
  });

  test('a missing key or version is NOT_FOUND', async () => {
    const { client } = await openKms();
    const name = `${RING}/cryptoKeys/none`;
    const missing = { code: CODE.notFound, details: `CryptoKey ${name} not found.` };
    const plaintext = Buffer.from('x');
    await expect(client.getCryptoKey({ name })).rejects.toMatchObject(missing);
    await expect(client.encrypt({ name, plaintext })).rejects.toMatchObject(missing);
    await expect(client.decrypt({ name, ciphertext: plaintext })).rejects.toMatchObject(missing);
    const version = `${await createKey(client, 'k')}/cryptoKeyVersions/2`;
    const missingVersion = { code: CODE.notFound, details: `CryptoKeyVersion ${version} not found.` };
    await expect(client.encrypt({ name: version, plaintext })).rejects.toMatchObject(missingVersion);
    await expect(client.destroyCryptoKeyVersion({ name: version })).rejects.toMatchObject(missingVersion);
  });
});
