import { createHash, createPublicKey, verify } from 'node:crypto';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { describe, expect, onTestFinished, test } from 'vitest';
import { crc32c } from '../../emulators/kms/crc32c.ts';
import { startKms } from '../../emulators/kms/server.ts';
import {
  CODE,
  connect,
  createKey,
  createSigningVersion,
  DAY,
  makeStatePath,
  openKms,
  RING,
  START,
} from './kms-harness.ts';

const data = Buffer.from('attack at dawn');
const invalid = { code: CODE.invalidArgument };
const failedPrecondition = { code: CODE.failedPrecondition };
const updateMask = { paths: ['state'] };

const open = async () => {
  const kms = await openKms();
  return { ...kms, name: await createSigningVersion(kms.client, 'k') };
};

const loadPublicKey = async (client: KeyManagementServiceClient, name: string) =>
  createPublicKey((await client.getPublicKey({ name }))[0].pem ?? '');

const sign = async (client: KeyManagementServiceClient, name: string) =>
  Buffer.from((await client.asymmetricSign({ name, data }))[0].signature ?? '');

const keyName = (versionName: string) => versionName.replace(/\/cryptoKeyVersions\/\d+$/, '');

/** The RPCs that need an enabled version of a signing key. */
const uses = (client: KeyManagementServiceClient, name: string) => [
  () => client.asymmetricSign({ name, data }),
  () => client.getPublicKey({ name }),
];

describe('a signing key', () => {
  test('a signing key is an Ed25519 key pair without a primary version', async () => {
    const { client, name } = await open();
    const [key] = await client.getCryptoKey({ name: keyName(name) });
    expect(key).toMatchObject({
      purpose: 'ASYMMETRIC_SIGN',
      primary: null,
      versionTemplate: { algorithm: 'EC_SIGN_ED25519', protectionLevel: 'SOFTWARE' },
    });
    expect((await client.getCryptoKeyVersion({ name }))[0]).toMatchObject({ algorithm: 'EC_SIGN_ED25519' });
    expect((await loadPublicKey(client, name)).asymmetricKeyType).toBe('ed25519');
  });

  test('a signing key needs an algorithm for signing, and only EC_SIGN_ED25519 is supported', async () => {
    const { client } = await openKms();
    const create = (versionTemplate: object) =>
      client.createCryptoKey({
        parent: RING,
        cryptoKeyId: 'k',
        cryptoKey: { purpose: 'ASYMMETRIC_SIGN', versionTemplate },
      });
    await expect(create({})).rejects.toMatchObject(invalid);
    for (const algorithm of ['GOOGLE_SYMMETRIC_ENCRYPTION', 'RSA_DECRYPT_OAEP_2048_SHA256', 'HMAC_SHA256']) {
      await expect(create({ algorithm })).rejects.toMatchObject(invalid);
    }
    for (const algorithm of ['EC_SIGN_P256_SHA256', 'RSA_SIGN_RAW_PKCS1_2048', 'PQ_SIGN_ML_DSA_44']) {
      await expect(create({ algorithm })).rejects.toMatchObject({ code: CODE.unimplemented });
    }
    await expect(
      client.createCryptoKey({
        parent: RING,
        cryptoKeyId: 'k',
        cryptoKey: { purpose: 'ENCRYPT_DECRYPT', versionTemplate: { algorithm: 'EC_SIGN_ED25519' } },
      }),
    ).rejects.toMatchObject(invalid);
  });

  test.each([
    ['asymmetricSign', 0],
    ['getPublicKey', 1],
  ] as const)(
    '%s refuses a new signing version at first, because even a software version starts as PENDING_GENERATION',
    async (_, index) => {
      const { client, name } = await open();
      const [created] = await client.createCryptoKeyVersion({ parent: keyName(name), cryptoKeyVersion: {} });
      expect(created.state).toBe('PENDING_GENERATION');
      const use = uses(client, created.name ?? '')[index];
      await expect(use?.()).rejects.toMatchObject(failedPrecondition);
      await use?.();
    },
  );

  test('a signing key does not encrypt or decrypt, and has no primary version', async () => {
    const { client, name } = await open();
    const key = keyName(name);
    const ciphertext = Buffer.alloc(64);
    await expect(client.encrypt({ name: key, plaintext: data })).rejects.toMatchObject(failedPrecondition);
    await expect(client.encrypt({ name, plaintext: data })).rejects.toMatchObject(failedPrecondition);
    await expect(client.decrypt({ name: key, ciphertext })).rejects.toMatchObject(failedPrecondition);
    await expect(client.updateCryptoKeyPrimaryVersion({ name: key, cryptoKeyVersionId: '1' })).rejects.toMatchObject(
      failedPrecondition,
    );
  });
});

describe('asymmetricSign', () => {
  test.each(['SOFTWARE', 'HSM'] as const)(
    'asymmetricSign with a key of the level %s signs the data itself, not a digest, and checks and returns checksums',
    async (protectionLevel) => {
      const { client } = await openKms();
      const name = await createSigningVersion(client, 'k', protectionLevel);
      const [answer] = await client.asymmetricSign({ name, data, dataCrc32c: { value: crc32c(data) } });
      const signature = Buffer.from(answer.signature ?? '');
      expect(signature).toHaveLength(64);
      expect(verify(null, data, await loadPublicKey(client, name), signature)).toBe(true);
      expect(answer).toMatchObject({
        name,
        protectionLevel,
        signatureCrc32c: { value: String(crc32c(signature)) },
        verifiedDataCrc32c: true,
        verifiedDigestCrc32c: false,
      });
    },
  );

  test('asymmetricSign returns the same signature for the same data (RFC 8032 is deterministic)', async () => {
    const { client, name } = await open();
    expect(await sign(client, name)).toEqual(await sign(client, name));
  });

  test('asymmetricSign does not report an absent checksum as verified', async () => {
    const { client, name } = await open();
    expect((await client.asymmetricSign({ name, data }))[0].verifiedDataCrc32c).toBe(false);
  });

  test('asymmetricSign refuses a wrong checksum', async () => {
    const { client, name } = await open();
    for (const value of [0, 1]) {
      await expect(client.asymmetricSign({ name, data, dataCrc32c: { value } })).rejects.toMatchObject(invalid);
    }
  });

  test('asymmetricSign refuses a digest, a digest together with data, and a request without either', async () => {
    const { client, name } = await open();
    const digest = { sha256: createHash('sha256').update(data).digest() };
    for (const request of [{ digest }, { digest, data }, { data, digestCrc32c: { value: crc32c(data) } }, {}]) {
      await expect(client.asymmetricSign({ name, ...request })).rejects.toMatchObject(invalid);
    }
  });
});

describe('getPublicKey', () => {
  test('getPublicKey answers with PEM, its checksum, the algorithm and the protection level', async () => {
    const { client } = await openKms();
    const name = await createSigningVersion(client, 'k', 'HSM');
    const [answer] = await client.getPublicKey({ name });
    expect(answer.pem).toMatch(/^-----BEGIN PUBLIC KEY-----\n[\w+/=]{60}\n-----END PUBLIC KEY-----\n$/);
    expect(answer).toMatchObject({
      name,
      algorithm: 'EC_SIGN_ED25519',
      protectionLevel: 'HSM',
      pemCrc32c: { value: String(crc32c(Buffer.from(answer.pem ?? ''))) },
    });
  });

  test('getPublicKey supports no format except PEM', async () => {
    const { client, name } = await open();
    await expect(client.getPublicKey({ name, publicKeyFormat: 'DER' })).rejects.toMatchObject({
      code: CODE.unimplemented,
    });
  });
});

describe('asymmetricSign and getPublicKey', () => {
  test('asymmetricSign and getPublicKey refuse a malformed name, a name without a version, and a missing version', async () => {
    const { client, name } = await open();
    for (const malformed of ['', 'malformed name', keyName(name)]) {
      for (const use of uses(client, malformed)) await expect(use()).rejects.toMatchObject(invalid);
    }
    for (const missing of [`${keyName(name)}/cryptoKeyVersions/2`, name.replace('/k/', '/none/')]) {
      for (const use of uses(client, missing)) await expect(use()).rejects.toMatchObject({ code: CODE.notFound });
    }
  });

  test('asymmetricSign and getPublicKey refuse an encryption key with FAILED_PRECONDITION', async () => {
    const { client } = await openKms();
    const name = `${await createKey(client, 'k')}/cryptoKeyVersions/1`;
    for (const use of uses(client, name)) await expect(use()).rejects.toMatchObject(failedPrecondition);
  });

  test('asymmetricSign and getPublicKey refuse a version that is disabled, scheduled for destruction or destroyed', async () => {
    const { client, clock, name } = await open();
    const refused = async (state: string) => {
      const details = `${name} is not enabled, current state is: ${state}.`;
      for (const use of uses(client, name)) {
        await expect(use()).rejects.toMatchObject({ ...failedPrecondition, details });
      }
    };
    await client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'DISABLED' }, updateMask });
    await refused('DISABLED');
    await client.destroyCryptoKeyVersion({ name });
    await refused('DESTROY_SCHEDULED');
    clock.now += 30 * DAY;
    await refused('DESTROYED');
  });

  test('a version that is enabled again signs with the same key', async () => {
    const { client, name } = await open();
    const before = await sign(client, name);
    await client.destroyCryptoKeyVersion({ name });
    await client.restoreCryptoKeyVersion({ name });
    await client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'ENABLED' }, updateMask });
    expect(await sign(client, name)).toEqual(before);
  });

  test('after a restart, a signing key makes the same signature and has the same public key', async () => {
    const file = await makeStatePath();
    const { client, server } = await openKms({ file });
    const name = await createSigningVersion(client, 'k');
    const before = await sign(client, name);
    const [publicKey] = await client.getPublicKey({ name });
    await server.stop();
    const next = await startKms({ port: 0, file, now: () => START });
    onTestFinished(() => next.stop());
    const again = connect(next.port);
    expect(await sign(again, name)).toEqual(before);
    expect((await again.getPublicKey({ name }))[0]).toEqual(publicKey);
  });

  test('each version of a signing key has a different key pair', async () => {
    const { client, name } = await open();
    await client.createCryptoKeyVersion({ parent: keyName(name), cryptoKeyVersion: {} });
    const second = `${keyName(name)}/cryptoKeyVersions/2`;
    await client.getCryptoKeyVersion({ name: second });
    expect(verify(null, data, await loadPublicKey(client, name), await sign(client, second))).toBe(false);
    expect(verify(null, data, await loadPublicKey(client, second), await sign(client, second))).toBe(true);
  });
});
