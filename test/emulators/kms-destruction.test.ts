import { describe, expect, test } from 'vitest';
import { CODE, createKey, DAY, openKms, START, seal } from './kms-harness.ts';

const plaintext = Buffer.from('attack at dawn');
const updateMask = { paths: ['state'] };
const notEnabled = (name: string, state: string) => ({
  code: CODE.failedPrecondition,
  details: `${name} is not enabled, current state is: ${state}.`,
});

describe('destruction', () => {
  test('a destroy request ends encryption and decryption at once, and schedules destruction for the end of destroyScheduledDuration', async () => {
    const { client } = await openKms();
    const key = await createKey(client, 'k', 'SOFTWARE', 2 * DAY);
    const name = `${key}/cryptoKeyVersions/1`;
    const ciphertext = await seal(client, { name, plaintext });
    const [version] = await client.destroyCryptoKeyVersion({ name });
    expect(version).toMatchObject({
      state: 'DESTROY_SCHEDULED',
      destroyTime: { seconds: String((START + 2 * DAY) / 1000) },
    });
    await expect(client.encrypt({ name: key, plaintext })).rejects.toMatchObject(notEnabled(name, 'DESTROY_SCHEDULED'));
    await expect(client.decrypt({ name: key, ciphertext })).rejects.toMatchObject(
      notEnabled(name, 'DESTROY_SCHEDULED'),
    );
  });

  test('a restored version is DISABLED, and decrypts once it is enabled', async () => {
    const { client, clock } = await openKms();
    const key = await createKey(client, 'k');
    const name = `${key}/cryptoKeyVersions/1`;
    const ciphertext = await seal(client, { name, plaintext });
    await client.destroyCryptoKeyVersion({ name });
    clock.now += DAY - 1;
    const [restored] = await client.restoreCryptoKeyVersion({ name });
    expect(restored).toMatchObject({ state: 'DISABLED', destroyTime: null });
    await expect(client.decrypt({ name: key, ciphertext })).rejects.toMatchObject(notEnabled(name, 'DISABLED'));
    await client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'ENABLED' }, updateMask });
    clock.now += 2 * DAY;
    expect((await client.decrypt({ name: key, ciphertext }))[0].plaintext).toEqual(plaintext);
  });

  test('a version past its destroy time is DESTROYED, and cannot be restored or enabled', async () => {
    const { client, clock } = await openKms();
    const key = await createKey(client, 'k');
    const name = `${key}/cryptoKeyVersions/1`;
    const ciphertext = await seal(client, { name, plaintext });
    await client.destroyCryptoKeyVersion({ name });
    clock.now += DAY;
    expect((await client.getCryptoKeyVersion({ name }))[0]).toMatchObject({
      state: 'DESTROYED',
      destroyTime: null,
      destroyEventTime: { seconds: String((START + DAY) / 1000) },
    });
    const refused = { code: CODE.failedPrecondition };
    await expect(client.restoreCryptoKeyVersion({ name })).rejects.toMatchObject(refused);
    await expect(
      client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'ENABLED' }, updateMask }),
    ).rejects.toMatchObject(refused);
    await expect(client.decrypt({ name: key, ciphertext })).rejects.toMatchObject(notEnabled(name, 'DESTROYED'));
  });

  test('a destroyed version stays destroyed when the clock is set back', async () => {
    const { client, clock } = await openKms();
    const name = `${await createKey(client, 'k')}/cryptoKeyVersions/1`;
    await client.destroyCryptoKeyVersion({ name });
    clock.now += DAY;
    await client.getCryptoKeyVersion({ name });
    clock.now = START;
    expect((await client.getCryptoKeyVersion({ name }))[0].state).toBe('DESTROYED');
  });

  test('destruction cannot be scheduled twice, and a version that is not scheduled cannot be restored', async () => {
    const { client } = await openKms();
    const name = `${await createKey(client, 'k')}/cryptoKeyVersions/1`;
    const refusedIn = (state: string) => ({
      code: CODE.failedPrecondition,
      details: `The request cannot be fulfilled. Resource ${name} has value ${state} in field crypto_key_version.state.`,
    });
    await expect(client.restoreCryptoKeyVersion({ name })).rejects.toMatchObject(refusedIn('ENABLED'));
    await client.destroyCryptoKeyVersion({ name });
    await expect(client.destroyCryptoKeyVersion({ name })).rejects.toMatchObject(refusedIn('DESTROY_SCHEDULED'));
  });

  test('the destruction of one version does not affect the other versions of the key', async () => {
    const { client } = await openKms();
    const key = await createKey(client, 'k');
    const ciphertext = await seal(client, { name: key, plaintext });
    await client.createCryptoKeyVersion({ parent: key, cryptoKeyVersion: {} });
    await client.destroyCryptoKeyVersion({ name: `${key}/cryptoKeyVersions/2` });
    expect((await client.decrypt({ name: key, ciphertext }))[0].plaintext).toEqual(plaintext);
  });
});
