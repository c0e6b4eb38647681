import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startKms } from '../../emulators/kms/server.ts';
import { CODE, createKey, DAY, HOUR, LOCATION, openKms, RING, START } from './kms-harness.ts';

const symmetric = { purpose: 'ENCRYPT_DECRYPT' } as const;
const seconds = (milliseconds: number) => String(milliseconds / 1000);

describe('key rings', () => {
  test('a key ring is read back as it was created', async () => {
    const { client } = await openKms();
    const [ring] = await client.getKeyRing({ name: RING });
    expect(ring).toMatchObject({ name: RING, createTime: { seconds: seconds(START) } });
  });

  test('creating an existing key ring is ALREADY_EXISTS', async () => {
    const { client } = await openKms();
    await expect(client.createKeyRing({ parent: LOCATION, keyRingId: 'ring', keyRing: {} })).rejects.toMatchObject({
      code: CODE.alreadyExists,
      details: `KeyRing ${RING} already exists.`,
    });
  });

  test('a missing key ring is NOT_FOUND, even in requests for one of its keys', async () => {
    const { client } = await openKms();
    const name = `${LOCATION}/keyRings/other`;
    const missing = { code: CODE.notFound, details: `KeyRing ${name} not found.` };
    await expect(client.getKeyRing({ name })).rejects.toMatchObject(missing);
    await expect(
      client.createCryptoKey({ parent: name, cryptoKeyId: 'k', cryptoKey: symmetric }),
    ).rejects.toMatchObject(missing);
    await expect(client.listCryptoKeys({ parent: name })).rejects.toMatchObject(missing);
  });
});

describe('keys', () => {
  test('a new key has version 1 as its primary and, by default, the level SOFTWARE and 30 days until destruction', async () => {
    const { client } = await openKms();
    const [key] = await client.createCryptoKey({ parent: RING, cryptoKeyId: 'k', cryptoKey: symmetric });
    const expected = {
      name: `${RING}/cryptoKeys/k`,
      purpose: 'ENCRYPT_DECRYPT',
      primary: {
        name: `${RING}/cryptoKeys/k/cryptoKeyVersions/1`,
        state: 'ENABLED',
        protectionLevel: 'SOFTWARE',
        algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION',
        generateTime: { seconds: seconds(START) },
        destroyTime: null,
      },
      createTime: { seconds: seconds(START) },
      versionTemplate: { protectionLevel: 'SOFTWARE', algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION' },
      destroyScheduledDuration: { seconds: '2592000' },
    };
    expect(key).toMatchObject(expected);
    expect((await client.getCryptoKey({ name: `${RING}/cryptoKeys/k` }))[0]).toMatchObject(expected);
  });

  test('the labels of a key are kept', async () => {
    const { client } = await openKms();
    const labels = { tier: 'hsm' };
    await client.createCryptoKey({ parent: RING, cryptoKeyId: 'k', cryptoKey: { ...symmetric, labels } });
    expect((await client.getCryptoKey({ name: `${RING}/cryptoKeys/k` }))[0].labels).toEqual(labels);
  });

  test('with skipInitialVersionCreation, a new key has no versions, and a version that is added later does not become primary', async () => {
    const { client } = await openKms();
    const name = `${RING}/cryptoKeys/k`;
    await client.createCryptoKey({
      parent: RING,
      cryptoKeyId: 'k',
      cryptoKey: symmetric,
      skipInitialVersionCreation: true,
    });
    expect((await client.listCryptoKeyVersions({ parent: name }))[0]).toEqual([]);
    const plaintext = Buffer.from('x');
    await expect(client.encrypt({ name, plaintext })).rejects.toMatchObject({ code: CODE.failedPrecondition });
    await client.createCryptoKeyVersion({ parent: name, cryptoKeyVersion: {} });
    expect((await client.getCryptoKey({ name }))[0].primary).toBeNull();
  });

  test('creating an existing key is ALREADY_EXISTS and does not change the key', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    await expect(createKey(client, 'k', 'HSM')).rejects.toMatchObject({ code: CODE.alreadyExists });
    expect((await client.getCryptoKey({ name }))[0].versionTemplate?.protectionLevel).toBe('SOFTWARE');
  });

  test('destroyScheduledDuration may be 24 hours to 120 days', async () => {
    const { client } = await openKms();
    await createKey(client, 'shortest', 'SOFTWARE', 24 * HOUR);
    await createKey(client, 'longest', 'SOFTWARE', 120 * DAY);
    for (const duration of [0, 24 * HOUR - 1000, 120 * DAY + 1000]) {
      await expect(createKey(client, 'k', 'SOFTWARE', duration)).rejects.toMatchObject({ code: CODE.invalidArgument });
    }
  });

  test('a key needs a purpose and a matching algorithm; the purpose MAC, the level EXTERNAL, rotation and imports are UNIMPLEMENTED', async () => {
    const { client } = await openKms();
    const create = (cryptoKey: object) => client.createCryptoKey({ parent: RING, cryptoKeyId: 'k', cryptoKey });
    await expect(create({})).rejects.toMatchObject({ code: CODE.invalidArgument });
    await expect(
      create({ ...symmetric, versionTemplate: { algorithm: 'RSA_SIGN_PSS_2048_SHA256' } }),
    ).rejects.toMatchObject({ code: CODE.invalidArgument });
    for (const cryptoKey of [
      { purpose: 'MAC' },
      { ...symmetric, versionTemplate: { protectionLevel: 'EXTERNAL' } },
      { ...symmetric, nextRotationTime: { seconds: 1 } },
      { ...symmetric, rotationPeriod: { seconds: 86_400 } },
      { ...symmetric, importOnly: true },
    ]) {
      await expect(create(cryptoKey)).rejects.toMatchObject({ code: CODE.unimplemented });
    }
  });

  test('keys are listed by ring, page by page, in the order of their creation', async () => {
    const { client } = await openKms();
    await client.createKeyRing({ parent: LOCATION, keyRingId: 'ring-2', keyRing: {} });
    for (const id of ['c', 'a', 'b']) await createKey(client, id);
    const onePage = { autoPaginate: false };
    const [first, next, answer] = await client.listCryptoKeys({ parent: RING, pageSize: 2 }, onePage);
    const [second, none] = await client.listCryptoKeys(next ?? {}, onePage);
    expect([first, second].map((page) => page.map((key) => key.name))).toEqual([
      [`${RING}/cryptoKeys/c`, `${RING}/cryptoKeys/a`],
      [`${RING}/cryptoKeys/b`],
    ]);
    expect(answer.totalSize).toBe(3);
    expect(none).toBeNull();
    const [others] = await client.listCryptoKeys({ parent: `${RING}-2` });
    expect(others).toEqual([]);
  });

  test('an unknown page token is INVALID_ARGUMENT', async () => {
    const { client } = await openKms();
    await expect(client.listCryptoKeys({ parent: RING, pageToken: 'nonsense' })).rejects.toMatchObject({
      code: CODE.invalidArgument,
    });
  });
});

describe('the server', () => {
  test('an RPC that the emulator does not support is UNIMPLEMENTED', async () => {
    const { client } = await openKms();
    await expect(client.generateRandomBytes({ location: LOCATION, lengthBytes: 8 })).rejects.toMatchObject({
      code: CODE.unimplemented,
    });
    await expect(client.listKeyRings({ parent: LOCATION })).rejects.toMatchObject({ code: CODE.unimplemented });
  });

  test('a start on a port in use fails with EADDRINUSE', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    const { server } = await openKms();
    await expect(startKms({ port: server.port, now: Date.now })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
