import { expect, test } from 'vitest';
import { makeWriteQuota } from '../../emulators/kms/write-quota.ts';
import { createKey, openKms, seal } from './kms-harness.ts';

test('a change over the write quota is RESOURCE_EXHAUSTED and creates nothing, while reads and encryption still work', async () => {
  // The harness has used one of the two writes to create a key ring.
  const { client } = await openKms({ writesPerMinute: 2 });
  const name = await createKey(client, 'one');
  await expect(createKey(client, 'two')).rejects.toMatchObject({ code: 8, message: /Quota exceeded/ });
  await expect(client.createCryptoKeyVersion({ parent: name })).rejects.toMatchObject({ code: 8 });
  expect((await client.listCryptoKeyVersions({ parent: name }))[0]).toHaveLength(1);
  expect(await seal(client, { name, plaintext: Buffer.from('hello') })).not.toHaveLength(0);
});

test('a write no longer counts against the write quota after a minute', () => {
  const at = { ms: 0 };
  const take = makeWriteQuota(2, () => at.ms);
  take();
  at.ms = 30_000;
  take();
  expect(take).toThrow('Quota exceeded');
  at.ms = 60_000;
  take();
  expect(take).toThrow('Quota exceeded');
});
