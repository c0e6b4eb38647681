import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { unwrapFileKey, wrapFileKey } from '../src/files/service-stanza.ts';
import * as one from '../src/index.ts';

vi.resetModules();
/** A second copy of the library, as npm installs it for two packages that need different versions. */
const other = await import('../src/index.ts');

const [LOST, KEPT] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

/** A service of the other copy, which wraps nothing and refuses to unwrap with the lost key. */
const service: one.KeyService = {
  wrap: async (_, { dek = new Uint8Array(16) }) => ({ wrapped: dek }),
  async unwrap(keyId, { wrapped }) {
    if (keyId === LOST) throw new other.EncryptionServiceError('not_found', 'not found');
    return { dek: wrapped };
  },
  rewrap: async (_, { ciphertext }) => ({ ciphertext }),
};

test('instanceof recognizes the errors of another copy of the package, but no other errors', () => {
  const errors = [
    new other.EncryptionServiceError('not_found', 'not found'),
    new other.FormatError('truncated', 'truncated'),
  ];
  expect(errors.map((error) => error instanceof one.EncryptionServiceError)).toEqual([true, false]);
  expect(errors.map((error) => error instanceof one.FormatError)).toEqual([false, true]);
  for (const value of [new Error('not found'), { name: 'FormatError' }, null, 'FormatError']) {
    expect([value instanceof one.EncryptionServiceError, value instanceof one.FormatError]).toEqual([false, false]);
  }
});

test('a file for two keys is decrypted with a service of another copy that refuses the first key', async () => {
  const fileKey = new Uint8Array(16).fill(7);
  const stanzas = await Promise.all([LOST, KEPT].map((keyId) => wrapFileKey(service, keyId, fileKey)));
  expect(await unwrapFileKey(service, stanzas)).toEqual(fileKey);
});

test('bytes and dates of another realm are accepted', async () => {
  const sent: unknown[] = [];
  const client = new one.EncryptionService({
    url: 'https://api.example.com',
    async fetch(url, { body }) {
      sent.push([new URL(url).search, body]);
      return Response.json(url.includes('/audit') ? [] : { ciphertext: 'AAAA' });
    },
  });
  const foreign = runInNewContext('({ bytes: new Uint8Array([1, 2, 3]), date: new Date(0) })');
  await client.encrypt(KEPT, { plaintext: foreign.bytes });
  await Array.fromAsync(client.readAudit({ since: foreign.date }));
  expect(sent).toEqual([
    ['', '{"plaintext":"AQID"}'],
    ['?since=1970-01-01T00%3A00%3A00.000Z', undefined],
  ]);
});
