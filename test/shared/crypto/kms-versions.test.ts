import { describe, expect, test } from 'vitest';
import { Kms } from '../../../shared/kms/kms.ts';
import { createReadyHsmKey, openKms, RING, START } from '../../emulators/kms-harness.ts';

/** The service's KMS on an emulator, and its client beside it. */
async function open() {
  const { client } = await openKms();
  const kms = new Kms(RING, async () => client);
  const stateOf = async (name: string) => (await client.getCryptoKeyVersion({ name }))[0].state;
  return { client, kms, stateOf };
}

describe('a version destroyed by its name', () => {
  test('is scheduled for destruction, idempotently, also when it does not exist', async () => {
    const { kms, stateOf } = await open();
    const name = await kms.createCryptoKey('k', 'SOFTWARE');
    expect(name).toBe(kms.firstVersion('k'));
    await kms.destroyVersion(name);
    await kms.destroyVersion(name);
    expect(await stateOf(name)).toBe('DESTROY_SCHEDULED');
    await kms.destroyVersion(kms.firstVersion('never-made'));
  });

  test('is waited for where an HSM has yet to generate it', async () => {
    const { client, kms, stateOf } = await open();
    const parent = await createReadyHsmKey(client, 'k');
    const [{ name }] = await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
    await kms.destroyVersion(name ?? '');
    expect(await stateOf(name ?? '')).toBe('DESTROY_SCHEDULED');
  });
});

describe('the versions that there is something to destroy of', () => {
  test('are listed with their age, without destroyed ones, with HSM versions still being generated', async () => {
    const { client, kms } = await open();
    const parent = await createReadyHsmKey(client, 'k');
    await kms.createVersion('k');
    await kms.destroyVersion(kms.firstVersion('k'));
    await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
    const createdAt = START * 1000;
    expect(await kms.listVersions('k')).toEqual(
      [2, 3].map((id) => ({ name: `${parent}/cryptoKeyVersions/${id}`, createdAt })),
    );
  });

  test('are listed over all pages; none when the CryptoKey does not exist', async () => {
    const { client, kms } = await open();
    await kms.createCryptoKey('k', 'SOFTWARE');
    const parent = kms.cryptoKey('k');
    await Promise.all(
      Array.from({ length: 120 }, () => client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} })),
    );
    expect(await kms.listVersions('k')).toHaveLength(121);
    expect(await kms.listVersions('never-made')).toEqual([]);
  });
});
