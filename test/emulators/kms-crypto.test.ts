import { describe, expect, test } from 'vitest';
import { CODE, createKey, createReadyHsmKey, openKms, seal } from './kms-harness.ts';

const plaintext = Buffer.from('attack at dawn');
const additionalAuthenticatedData = Buffer.from('tenant 1');
const refused = { code: CODE.invalidArgument };
const invalid = { ...refused, details: 'Decryption failed: the ciphertext is invalid.' };
const incorrect = {
  ...refused,
  details: "Decryption failed: verify that 'ciphertext' and 'additional_authenticated_data' are correct.",
};

const bytesOf = (value: Uint8Array | string | null | undefined) => Buffer.from(value ?? '');

describe('encryption', () => {
  test.each(['SOFTWARE', 'HSM'] as const)(
    'data that a %s key has encrypted can be decrypted',
    async (protectionLevel) => {
      const { client } = await openKms();
      const name = protectionLevel === 'HSM' ? await createReadyHsmKey(client, 'k') : await createKey(client, 'k');
      const [sealed] = await client.encrypt({ name, plaintext, additionalAuthenticatedData });
      expect(sealed).toMatchObject({ name: `${name}/cryptoKeyVersions/1`, protectionLevel });
      const ciphertext = bytesOf(sealed.ciphertext);
      const [opened] = await client.decrypt({ name, ciphertext, additionalAuthenticatedData });
      expect(opened).toMatchObject({ plaintext, usedPrimary: true, protectionLevel });
    },
  );

  test('two encryptions of the same plaintext never return the same ciphertext', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const [[first], [second]] = await Promise.all([
      client.encrypt({ name, plaintext }),
      client.encrypt({ name, plaintext }),
    ]);
    expect(first.ciphertext).not.toEqual(second.ciphertext);
  });

  test('encryption with a named version ignores the primary version, and decryption says whether the primary was used', async () => {
    const { client } = await openKms();
    const key = await createKey(client, 'k');
    await client.createCryptoKeyVersion({ parent: key, cryptoKeyVersion: {} });
    const name = `${key}/cryptoKeyVersions/2`;
    const [sealed] = await client.encrypt({ name, plaintext });
    expect(sealed.name).toBe(name);
    const ciphertext = bytesOf(sealed.ciphertext);
    expect((await client.decrypt({ name: key, ciphertext }))[0]).toMatchObject({ plaintext, usedPrimary: false });
    await client.updateCryptoKeyPrimaryVersion({ name: key, cryptoKeyVersionId: '2' });
    expect((await client.decrypt({ name: key, ciphertext }))[0]).toMatchObject({ plaintext, usedPrimary: true });
  });

  test('an empty plaintext can be encrypted', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const ciphertext = await seal(client, { name, plaintext: Buffer.alloc(0) });
    expect((await client.decrypt({ name, ciphertext }))[0].plaintext).toHaveLength(0);
  });
});

describe('limits', () => {
  test('a SOFTWARE key accepts up to 65,536 bytes of plaintext and up to 65,536 bytes of additional data', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const [full, over] = [Buffer.alloc(65_536, 1), Buffer.alloc(65_537, 1)];
    const ciphertext = await seal(client, { name, plaintext: full, additionalAuthenticatedData: full });
    const [opened] = await client.decrypt({ name, ciphertext, additionalAuthenticatedData: full });
    expect(bytesOf(opened.plaintext).equals(full)).toBe(true);
    await expect(client.encrypt({ name, plaintext: over })).rejects.toMatchObject(refused);
    await expect(client.encrypt({ name, plaintext, additionalAuthenticatedData: over })).rejects.toMatchObject(refused);
  });

  test('an HSM key accepts up to 8,192 bytes of plaintext and additional data together', async () => {
    const { client } = await openKms();
    const name = await createReadyHsmKey(client, 'k');
    const bytes = (length: number) => Buffer.alloc(length, 1);
    for (const [plain, aad] of [
      [8192, 0],
      [0, 8192],
      [8000, 192],
    ] as const) {
      await client.encrypt({ name, plaintext: bytes(plain), additionalAuthenticatedData: bytes(aad) });
    }
    for (const [plain, aad] of [
      [8193, 0],
      [0, 8193],
      [8000, 193],
    ] as const) {
      await expect(
        client.encrypt({ name, plaintext: bytes(plain), additionalAuthenticatedData: bytes(aad) }),
      ).rejects.toMatchObject(refused);
    }
  });
});

describe('refused decryption', () => {
  test('decryption refuses a ciphertext with a flipped bit', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const ciphertext = await seal(client, { name, plaintext });
    for (const index of ciphertext.keys()) {
      const tampered = Buffer.from(ciphertext);
      tampered.writeUInt8(tampered.readUInt8(index) ^ 1, index);
      await expect(client.decrypt({ name, ciphertext: tampered }), `byte ${index}`).rejects.toMatchObject(refused);
    }
  });

  test('decryption refuses a ciphertext that was cut short or extended', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const ciphertext = await seal(client, { name, plaintext });
    await expect(client.decrypt({ name, ciphertext: ciphertext.subarray(0, -1) })).rejects.toMatchObject(incorrect);
    await expect(
      client.decrypt({ name, ciphertext: Buffer.concat([ciphertext, Buffer.alloc(1)]) }),
    ).rejects.toMatchObject(incorrect);
    for (const value of [Buffer.alloc(0), Buffer.alloc(100), ciphertext.subarray(0, 40)]) {
      await expect(client.decrypt({ name, ciphertext: value })).rejects.toMatchObject(invalid);
    }
  });

  test('decryption refuses additional data that differs from the data at encryption', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const ciphertext = await seal(client, { name, plaintext, additionalAuthenticatedData });
    await expect(client.decrypt({ name, ciphertext })).rejects.toMatchObject(incorrect);
    await expect(
      client.decrypt({ name, ciphertext, additionalAuthenticatedData: Buffer.from('tenant 2') }),
    ).rejects.toMatchObject(incorrect);
  });

  test('decryption refuses the ciphertext of another key', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const ciphertext = await seal(client, { name, plaintext });
    await expect(client.decrypt({ name: await createKey(client, 'other'), ciphertext })).rejects.toMatchObject({
      ...refused,
      details: "Decryption failed: verify that 'name' refers to the correct CryptoKey.",
    });
  });
});
