import { describe, expect, test } from 'vitest';
import type { KeyService } from '../../src/files/key-service.ts';
import { DataKeys } from '../../src/records/data-keys.ts';
import { KEY } from '../support/objects.ts';

const bytes = new Uint8Array(32);
/** A stub is enough here, because refused values are never sent to the service. */
const service: KeyService = {
  wrap: async () => ({ wrapped: bytes, dek: bytes }),
  unwrap: async () => ({ dek: bytes }),
  rewrap: async (_, { ciphertext }) => ({ ciphertext }),
};
const NOT_BYTES = ['alice', '', 7, null, [1, 2], bytes.buffer, new Uint16Array(2)];

describe.each(NOT_BYTES)('%o instead of bytes', (wrong) => {
  const dataKeys = new DataKeys(service);

  test.each(['recordId', 'context'])(
    'encrypt, decrypt and rewrap throw a TypeError if the option %s is not bytes',
    async (name) => {
      const record = await dataKeys.encrypt(KEY.id, bytes);
      const expected = new TypeError(`${name} must be a Uint8Array`);
      await expect(dataKeys.encrypt(KEY.id, bytes, { [name]: wrong })).rejects.toThrow(expected);
      await expect(dataKeys.decrypt(record, { [name]: wrong })).rejects.toThrow(expected);
      await expect(dataKeys.rewrap(record, { [name]: wrong })).rejects.toThrow(expected);
    },
  );

  test('a plaintext or a record that is not bytes throws a TypeError', async () => {
    // @ts-expect-error: the compiler also refuses a value that is not bytes
    await expect(dataKeys.encrypt(KEY.id, wrong)).rejects.toThrow(new TypeError('plaintext must be a Uint8Array'));
    // @ts-expect-error: the compiler also refuses a value that is not bytes
    await expect(dataKeys.decrypt(wrong)).rejects.toThrow(new TypeError('record must be a Uint8Array'));
    // @ts-expect-error: the compiler also refuses a value that is not bytes
    await expect(dataKeys.rewrap(wrong)).rejects.toThrow(new TypeError('record must be a Uint8Array'));
  });
});

test('the reason of an aborted signal is the cause of the error', async () => {
  const options = { signal: AbortSignal.abort('closing') };
  await expect(new DataKeys(service).encrypt(KEY.id, bytes, options)).rejects.toMatchObject({
    code: 'aborted',
    cause: 'closing',
  });
});
