import { describe, expect, test } from 'vitest';
import { CODE, createKey, createReadyHsmKey, openKms, seal } from './kms-harness.ts';

const plaintext = Buffer.from('attack at dawn');
const updateMask = { paths: ['state'] };
const notEnabled = (name: string, state: string) => ({
  code: CODE.failedPrecondition,
  details: `${name} is not enabled, current state is: ${state}.`,
});

describe('generation', () => {
  test('a software version is ENABLED at once', async () => {
    const { client } = await openKms();
    const parent = await createKey(client, 'k');
    const [version] = await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
    expect(version).toMatchObject({ name: `${parent}/cryptoKeyVersions/2`, state: 'ENABLED' });
  });

  test('an HSM version is PENDING_GENERATION in the answer to its creation and to its first read, then ENABLED', async () => {
    const { client } = await openKms();
    const parent = await createReadyHsmKey(client, 'k');
    const [created] = await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
    expect(created).toMatchObject({ state: 'PENDING_GENERATION', protectionLevel: 'HSM', generateTime: null });
    const name = `${parent}/cryptoKeyVersions/2`;
    expect((await client.getCryptoKeyVersion({ name }))[0].state).toBe('PENDING_GENERATION');
    expect((await client.getCryptoKeyVersion({ name }))[0].state).toBe('ENABLED');
  });

  test('the primary version of a new HSM key is PENDING_GENERATION in the answer to its first read, then ENABLED', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k', 'HSM');
    expect((await client.getCryptoKey({ name }))[0].primary?.state).toBe('PENDING_GENERATION');
    expect((await client.getCryptoKey({ name }))[0].primary?.state).toBe('ENABLED');
  });

  test('encryption with a version that is PENDING_GENERATION fails with FAILED_PRECONDITION', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k', 'HSM');
    const version = `${name}/cryptoKeyVersions/1`;
    await expect(client.encrypt({ name, plaintext })).rejects.toMatchObject(notEnabled(version, 'PENDING_GENERATION'));
  });

  test.each([
    ['destroyed', 'destroy'],
    ['disabled', 'disable'],
    ['made primary', 'primary'],
  ])('a version that is still being generated cannot be %s', async (_, action) => {
    const { client } = await openKms();
    const parent = await createReadyHsmKey(client, 'k');
    await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
    const name = `${parent}/cryptoKeyVersions/2`;
    const actions: Record<string, () => Promise<unknown>> = {
      destroy: () => client.destroyCryptoKeyVersion({ name }),
      disable: () => client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'DISABLED' }, updateMask }),
      primary: () => client.updateCryptoKeyPrimaryVersion({ name: parent, cryptoKeyVersionId: '2' }),
    };
    await expect(actions[action]?.()).rejects.toMatchObject({ code: CODE.failedPrecondition });
  });

  test('versions are numbered from 1 and listed in that order', async () => {
    const { client } = await openKms();
    const parent = await createKey(client, 'k');
    for (const _ of [2, 3]) await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
    const [versions] = await client.listCryptoKeyVersions({ parent });
    expect(versions.map(({ name }) => name)).toEqual([1, 2, 3].map((id) => `${parent}/cryptoKeyVersions/${id}`));
  });
});

describe('the primary version', () => {
  test('the primary version changes only on request, not when a version is added', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    await client.createCryptoKeyVersion({ parent: name, cryptoKeyVersion: {} });
    expect((await client.encrypt({ name, plaintext }))[0].name).toBe(`${name}/cryptoKeyVersions/1`);
    const [key] = await client.updateCryptoKeyPrimaryVersion({ name, cryptoKeyVersionId: '2' });
    expect(key.primary?.name).toBe(`${name}/cryptoKeyVersions/2`);
    expect((await client.encrypt({ name, plaintext }))[0].name).toBe(`${name}/cryptoKeyVersions/2`);
  });

  test('a new primary version must exist and be enabled', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const change = (cryptoKeyVersionId: string) => client.updateCryptoKeyPrimaryVersion({ name, cryptoKeyVersionId });
    await expect(change('2')).rejects.toMatchObject({ code: CODE.notFound });
    await expect(change('two')).rejects.toMatchObject({ code: CODE.invalidArgument });
    await client.createCryptoKeyVersion({ parent: name, cryptoKeyVersion: {} });
    await client.destroyCryptoKeyVersion({ name: `${name}/cryptoKeyVersions/2` });
    await expect(change('2')).rejects.toMatchObject(notEnabled(`${name}/cryptoKeyVersions/2`, 'DESTROY_SCHEDULED'));
  });
});

describe('disabling', () => {
  test('a disabled version neither encrypts nor decrypts until it is enabled again', async () => {
    const { client } = await openKms();
    const key = await createKey(client, 'k');
    const name = `${key}/cryptoKeyVersions/1`;
    const ciphertext = await seal(client, { name, plaintext });
    const [disabled] = await client.updateCryptoKeyVersion({
      cryptoKeyVersion: { name, state: 'DISABLED' },
      updateMask,
    });
    expect(disabled.state).toBe('DISABLED');
    await expect(client.encrypt({ name, plaintext })).rejects.toMatchObject(notEnabled(name, 'DISABLED'));
    await expect(client.decrypt({ name: key, ciphertext })).rejects.toMatchObject(notEnabled(name, 'DISABLED'));
    await client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'ENABLED' }, updateMask });
    expect((await client.decrypt({ name: key, ciphertext }))[0].plaintext).toEqual(plaintext);
  });

  test('only the state of a version can be updated, and only to ENABLED or DISABLED', async () => {
    const { client } = await openKms();
    const name = `${await createKey(client, 'k')}/cryptoKeyVersions/1`;
    const refused = { code: CODE.invalidArgument };
    await expect(
      client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'DESTROYED' }, updateMask }),
    ).rejects.toMatchObject(refused);
    for (const paths of [[], ['name'], ['state', 'name']]) {
      await expect(
        client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'DISABLED' }, updateMask: { paths } }),
      ).rejects.toMatchObject(refused);
    }
    expect((await client.getCryptoKeyVersion({ name }))[0].state).toBe('ENABLED');
  });
});
