import { expect, test } from 'vitest';
import { ChecksumMismatch } from '../../../shared/kms/integrity.ts';
import { Kms } from '../../../shared/kms/kms.ts';
import { createKey, openKms, RING } from '../../emulators/kms-harness.ts';

const DATA = Buffer.from('data');
const AAD = Buffer.from('aad');

test.each([
  ['encrypt', { ciphertextCrc32c: { value: '1' } }],
  ['encrypt', { verifiedPlaintextCrc32c: false }],
  ['encrypt', { verifiedAdditionalAuthenticatedDataCrc32c: false }],
  ['decrypt', { plaintextCrc32c: { value: '1' } }],
])('%s fails after three answers that are damaged: %j', async (name, damage) => {
  const { client } = await openKms();
  const cryptoKey = await createKey(client, 'k');
  const kms = new Kms(RING, async () => client);
  const ciphertext = (await kms.encrypt(cryptoKey, DATA, AAD)) ?? Buffer.alloc(0);
  const inner = client.innerApiCalls[name];
  if (inner === undefined) throw new Error(`no call ${name}`);
  let answers = 0;
  client.innerApiCalls[name] = async (...given: unknown[]) => {
    answers++;
    const [answer, ...more] = await inner(...given);
    return [{ ...answer, ...damage }, ...more];
  };
  const used = name === 'encrypt' ? kms.encrypt(cryptoKey, DATA, AAD) : kms.decrypt(cryptoKey, ciphertext, AAD);
  await expect(used).rejects.toThrow(ChecksumMismatch);
  expect(answers).toBe(3);
});
