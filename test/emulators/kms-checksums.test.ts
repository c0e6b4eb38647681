import { describe, expect, test } from 'vitest';
import { crc32c } from '../../emulators/kms/crc32c.ts';
import { CODE, createKey, openKms, seal } from './kms-harness.ts';

const plaintext = Buffer.from('attack at dawn');
const additionalAuthenticatedData = Buffer.from('tenant 1');
const refused = { code: CODE.invalidArgument };

describe('checksums', () => {
  test('checksums in a request are verified, and the answer says so', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const aadChecksum = { value: crc32c(additionalAuthenticatedData) };
    const [sealed] = await client.encrypt({
      name,
      plaintext,
      plaintextCrc32c: { value: crc32c(plaintext) },
      additionalAuthenticatedData,
      additionalAuthenticatedDataCrc32c: aadChecksum,
    });
    expect(sealed).toMatchObject({
      verifiedPlaintextCrc32c: true,
      verifiedAdditionalAuthenticatedDataCrc32c: true,
      ciphertextCrc32c: { value: String(crc32c(Buffer.from(sealed.ciphertext ?? ''))) },
    });
    const [opened] = await client.decrypt({
      name,
      ciphertext: Buffer.from(sealed.ciphertext ?? ''),
      ciphertextCrc32c: sealed.ciphertextCrc32c ?? null,
      additionalAuthenticatedData,
      additionalAuthenticatedDataCrc32c: aadChecksum,
    });
    expect(opened).toMatchObject({ plaintext, plaintextCrc32c: { value: String(crc32c(plaintext)) } });
  });

  test('absent checksums are not reported as verified', async () => {
    const { client } = await openKms();
    const [sealed] = await client.encrypt({ name: await createKey(client, 'k'), plaintext });
    expect(sealed).toMatchObject({
      verifiedPlaintextCrc32c: false,
      verifiedAdditionalAuthenticatedDataCrc32c: false,
    });
  });

  test('a checksum with the value 0 is verified, not treated as absent', async () => {
    const { client } = await openKms();
    const name = await createKey(client, 'k');
    const [sealed] = await client.encrypt({ name, plaintext, additionalAuthenticatedDataCrc32c: { value: 0 } });
    expect(sealed.verifiedAdditionalAuthenticatedDataCrc32c).toBe(true);
    await expect(client.encrypt({ name, plaintext, plaintextCrc32c: { value: 0 } })).rejects.toMatchObject(refused);
  });

  test.each(['plaintext', 'additionalAuthenticatedData'])(
    'encryption refuses a wrong checksum of %s',
    async (field) => {
      const { client } = await openKms();
      const name = await createKey(client, 'k');
      await expect(client.encrypt({ name, plaintext, [`${field}Crc32c`]: { value: 1 } })).rejects.toMatchObject(
        refused,
      );
    },
  );

  test.each(['ciphertext', 'additionalAuthenticatedData'])(
    'decryption refuses a wrong checksum of %s',
    async (field) => {
      const { client } = await openKms();
      const name = await createKey(client, 'k');
      const ciphertext = await seal(client, { name, plaintext });
      const request = { name, ciphertext, [`${field}Crc32c`]: { value: 1 } };
      await expect(client.decrypt(request)).rejects.toMatchObject(refused);
    },
  );
});
