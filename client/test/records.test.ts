import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BoundedCache } from '../src/records/bounded-cache.ts';
import { ChunkedEncryption } from '../src/records/chunked-encryption.ts';
import { DataKeys } from '../src/records/data-keys.ts';
import { inOpenssl, webCrypto } from '../src/records/primitives.ts';
import { EncryptionService } from '../src/service.ts';
import { fakeService } from '../src/testing/index.ts';
import { KEY, openssl } from './support/objects.ts';

const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex');

/** Decodes a value of the test vectors: hexadecimal, with `(n)` for n zero bytes. */
function bytes(value = ''): Buffer {
  const parts = value.split(/\((\d+)\)/);
  return Buffer.concat(parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part, 'hex') : Buffer.alloc(Number(part)))));
}

const VECTORS = readFileSync(join(import.meta.dirname, 'chunked-vectors.txt'), 'utf8')
  .trimEnd()
  .split('\n');
const vectors = (kind: string) => VECTORS.map((line) => line.split('|')).filter(([first]) => first === kind);
/** The input key of most test vectors. */
const INPUT_KEY = bytes('59454c4c4f57205355424d4152494e452059454c4c4f57205355424d4152494e');

/** Returns the keystream with which chunked encryption encrypts the chunks of a message. */
function keystream(aeadKey: Buffer, baseNonce: Buffer, length: number): Buffer {
  const chunks: Buffer[] = [];
  for (let start = 0; start < length; start += 16_384) {
    const nonce = Buffer.from(baseNonce);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ (start / 16_384)) >>> 0, 8);
    chunks.push(createCipheriv('aes-256-gcm', aeadKey, nonce).update(Buffer.alloc(Math.min(16_384, length - start))));
  }
  return Buffer.concat(chunks);
}

test('all 35 published test vectors of chunked encryption are present', () => {
  expect(['valid', 'long', 'invalid'].map((kind) => vectors(kind).length)).toEqual([8, 2, 25]);
});

describe.each([
  ['OpenSSL', inOpenssl(openssl)],
  ['Web Crypto', webCrypto],
] as const)('chunked encryption with %s', (_, primitives) => {
  const cipherOf = (key: Buffer) => new ChunkedEncryption(key, primitives);

  test.each(vectors('valid'))(
    '%s test vector %s is decrypted, and encrypted again to the same bytes: %s',
    async (...[, , , context, sealed, length, hash]) => {
      const expected = bytes(sealed);
      const opened = await cipherOf(INPUT_KEY).open(expected, bytes(context));
      expect([opened?.length, opened && sha512(opened)]).toEqual([Number(length), hash]);
      const made = await cipherOf(INPUT_KEY).seal(opened ?? bytes(), bytes(context), expected.subarray(0, 24));
      expect(expected.equals(made)).toBe(true);
    },
  );

  // The ciphertext of these vectors, of 4 MiB, has zero bytes except for tags and head. So the message is the keystream.
  test.each(vectors('long'))(
    '%s test vector %s is encrypted to the published bytes and decrypted again: %s',
    async (...[, , , context, aeadKey, baseNonce, head, length, hash, sealedHash]) => {
      const message = keystream(bytes(aeadKey), bytes(baseNonce), Number(length));
      expect(sha512(message)).toBe(hash);
      const made = await cipherOf(INPUT_KEY).seal(message, bytes(context), bytes(head).subarray(0, 24));
      expect(sha512(made)).toBe(sealedHash);
      const opened = await cipherOf(INPUT_KEY).open(made, bytes(context));
      expect(opened && message.equals(opened)).toBe(true);
    },
  );

  test.each(vectors('invalid'))('%s test vector %s is refused: %s', async (...[, , , other, context, sealed]) => {
    const key = other === '' ? INPUT_KEY : bytes(other);
    if (key.length !== 32) expect(() => cipherOf(key)).toThrow(RangeError);
    else expect(await cipherOf(key).open(bytes(sealed), bytes(context))).toBeUndefined();
  });

  test('encrypting the same message twice gives different results, and a message with any changed bit is refused', async () => {
    const cipher = cipherOf(randomBytes(32));
    const [sealed, other] = [
      await cipher.seal(Buffer.from('short'), bytes()),
      await cipher.seal(Buffer.from('short'), bytes()),
    ];
    expect(Buffer.from(sealed.subarray(0, 24)).equals(other.subarray(0, 24))).toBe(false);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await cipher.open(changed, bytes())).toBeUndefined();
    }
  });
});

describe('the cache of data keys', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a cached value expires after its lifetime, even if it is used often', () => {
    const cache = new BoundedCache<string>(100, 10);
    cache.set('a', 'one');
    for (let ms = 0; ms < 99; ms += 33) {
      vi.advanceTimersByTime(33);
      expect(cache.get('a')).toBe('one');
    }
    vi.advanceTimersByTime(1);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  test.each([
    ['expires by the monotonic clock', 0, 100, undefined],
    ['expires by the wall clock, while the monotonic clock stands still', 100, 0, undefined],
    ['expires by the wall clock, which was set back to before the value was cached', -1, 50, undefined],
    ['does not expire if the wall clock is set back, but not to before the value was cached', 0, 99, 'one'],
  ])('a cached value %s', (_, wallMs, monotonicMs, expected) => {
    const cache = new BoundedCache<string>(100, 10);
    const start = Date.now();
    cache.set('a', 'one');
    vi.advanceTimersByTime(monotonicMs);
    vi.setSystemTime(start + wallMs);
    expect(cache.get('a')).toBe(expected);
  });

  test('a full cache removes the least recently used value, and a deletion spares a value that replaced the old one', () => {
    const cache = new BoundedCache<string>(100, 2);
    cache.set('a', 'one');
    cache.set('b', 'two');
    cache.get('a');
    cache.set('c', 'three');
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual(['one', undefined, 'three', 2]);
    cache.set('a', 'new');
    cache.delete('a', 'one');
    expect(cache.get('a')).toBe('new');
    cache.delete('a', 'new');
    expect(cache.get('a')).toBeUndefined();
  });
});

describe('arguments of DataKeys', () => {
  const wrapped = new Uint8Array(32);
  const fake = fakeService();
  const { keyId } = fake;
  const service = new EncryptionService(fake);
  const dataKeys = new DataKeys(service);

  test.each(['alice', '', 7, null, [1, 2], wrapped.buffer, new Uint16Array(2)])(
    'a plaintext, record, context or record id that is not bytes throws a TypeError: %o',
    async (wrong) => {
      const record = await dataKeys.encrypt(keyId, wrapped);
      for (const name of ['recordId', 'context']) {
        const [options, expected] = [{ [name]: wrong }, new TypeError(`${name} must be a Uint8Array`)];
        await expect(dataKeys.encrypt(keyId, wrapped, options)).rejects.toThrow(expected);
        await expect(dataKeys.decrypt(record, options)).rejects.toThrow(expected);
        await expect(dataKeys.rewrap(record, options)).rejects.toThrow(expected);
      }
      // @ts-expect-error: the compiler also refuses a value that is not bytes
      await expect(dataKeys.encrypt(keyId, wrong)).rejects.toThrow(new TypeError('plaintext must be a Uint8Array'));
      // @ts-expect-error: the compiler also refuses a value that is not bytes
      await expect(dataKeys.decrypt(wrong)).rejects.toThrow(new TypeError('record must be a Uint8Array'));
      // @ts-expect-error: the compiler also refuses a value that is not bytes
      await expect(dataKeys.rewrap(wrong)).rejects.toThrow(new TypeError('record must be a Uint8Array'));
    },
  );

  test.each([0, -1, 1.5, Number.NaN])('the value %d is refused for every limit', (limit) => {
    for (const name of ['maxAgeMs', 'maxMessages', 'maxBytes', 'maxKeys'])
      expect(() => new DataKeys(service, { [name]: limit })).toThrow(RangeError);
  });
});

describe('records', () => {
  const text = (some: string) => Buffer.from(some);
  const plaintext = text('4111 1111 1111 1111');
  const [context, recordId] = [text('payments.card_number'), text('row 1')];
  let fake: ReturnType<typeof fakeService>;
  let service: EncryptionService;
  let keyId: string;
  beforeEach(() => {
    fake = fakeService();
    service = new EncryptionService(fake);
    keyId = fake.keyId;
  });
  const costs = () => fake.calls.map(({ operation }) => operation);

  test.each([0, 1, 16_383, 16_384, 100_000])('a record of %i bytes is encrypted and decrypted', async (length) => {
    const contents = randomBytes(length);
    const record = await new DataKeys(service).encrypt(keyId, contents, { context });
    expect(contents.equals(await new DataKeys(service).decrypt(record, { context }))).toBe(true);
  });

  test('many records cost one operation, also to read elsewhere, and none to read here; no two are the same', async () => {
    const dataKeys = new DataKeys(service);
    const records = await Promise.all(Array.from({ length: 200 }, () => dataKeys.encrypt(keyId, plaintext)));
    const read = async (by: DataKeys) => {
      for (const bytes of await Promise.all(records.map((record) => by.decrypt(record)))) {
        expect(plaintext.equals(bytes)).toBe(true);
      }
    };
    await read(dataKeys);
    expect(costs()).toEqual(['wrap']);
    await read(new DataKeys(service));
    expect(costs()).toEqual(['wrap', 'unwrap']);
    const ends = records.map((record) => Buffer.from(record.subarray(-plaintext.length - 72)).toString('hex'));
    expect(new Set(ends).size).toBe(200);
  });

  const encryptAll = async (dataKeys: DataKeys, ...contexts: (string | undefined)[]) => {
    for (const one of contexts)
      await dataKeys.encrypt(keyId, plaintext, { context: one === undefined ? one : text(one) });
  };
  const some = (count: number) => Array<undefined>(count).fill(undefined);

  test.each([
    ['for each context', {}, ['one', 'one', 'other', 'other', undefined, undefined], 3],
    ['after the maximum number of records', { maxMessages: 3 }, some(7), 3],
    ['before the maximum number of bytes is exceeded', { maxBytes: 2 * plaintext.length + 1 }, some(5), 3],
    ['if other data keys have pushed the old one out of the cache', { maxKeys: 2 }, ['one', 'two', 'three', 'one'], 4],
  ])('a new data key is made %s', async (_, limits, contexts, expected) => {
    await encryptAll(new DataKeys(service, limits), ...contexts);
    expect(costs()).toEqual(Array(expected).fill('wrap'));
  });

  test.each([
    ['five minutes', {}, 300_000],
    ['maxAgeMs', { maxAgeMs: 1_000 }, 1_000],
  ])('a new data key is made after %s, and after the application forgets its data keys', async (_, limits, ageMs) => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const dataKeys = new DataKeys(service, limits);
    await encryptAll(dataKeys, undefined);
    vi.advanceTimersByTime(ageMs - 1);
    await encryptAll(dataKeys, undefined);
    expect(costs()).toEqual(['wrap']);
    vi.advanceTimersByTime(1);
    await encryptAll(dataKeys, ...some(2));
    dataKeys.forget();
    await encryptAll(dataKeys, ...some(2));
    vi.useRealTimers();
    expect(costs()).toEqual(['wrap', 'wrap', 'wrap']);
  });

  test('data keys that are forgotten while they are made are not cached', async () => {
    const dataKeys = new DataKeys(service);
    const encrypted = dataKeys.encrypt(keyId, plaintext);
    dataKeys.forget();
    await dataKeys.decrypt(await encrypted);
    expect(costs()).toEqual(['wrap', 'unwrap']);
  });

  test('a rewrap remembers nothing: after a second rotation, records are rewrapped with the newest version', async () => {
    const dataKeys = new DataKeys(service);
    const record = await dataKeys.encrypt(keyId, plaintext);
    const rewrap = async () => {
      await service.rotateKey(keyId);
      return dataKeys.rewrap(record);
    };
    await rewrap();
    const renewed = await rewrap();
    for (const _ of [1, 2]) await service.rotateKey(keyId);
    dataKeys.forget();
    expect(plaintext.equals(await dataKeys.decrypt(renewed))).toBe(true);
    await expect(dataKeys.decrypt(record)).rejects.toMatchObject({ code: 'invalid_ciphertext' });
  });

  test('if the request for a data key fails, the next call requests one again', async () => {
    const dataKeys = new DataKeys(service);
    fake.fail('key_pending_deletion');
    await expect(encryptAll(dataKeys, undefined)).rejects.toMatchObject({ code: 'key_pending_deletion' });
    await encryptAll(dataKeys, undefined);
    expect(costs()).toEqual(['wrap', 'wrap']);
  });

  test('if one caller aborts, another caller that waits for the same data key still receives it', async () => {
    const dataKeys = new DataKeys(service);
    const controller = new AbortController();
    const impatient = dataKeys.encrypt(keyId, plaintext, { signal: controller.signal });
    const patient = dataKeys.encrypt(keyId, plaintext);
    controller.abort('closing');
    await expect(impatient).rejects.toMatchObject({ code: 'aborted', cause: 'closing' });
    expect(plaintext.equals(await dataKeys.decrypt(await patient))).toBe(true);
  });

  test('with a signal that is aborted already, nothing is sent', async () => {
    const record = await new DataKeys(service).encrypt(keyId, plaintext);
    const [options, dataKeys] = [{ signal: AbortSignal.abort('closing') }, new DataKeys(service)];
    for (const call of [
      dataKeys.encrypt(keyId, plaintext, options),
      dataKeys.decrypt(record, options),
      dataKeys.rewrap(record, options),
    ])
      await expect(call).rejects.toMatchObject({ code: 'aborted', cause: 'closing' });
    expect(costs()).toEqual(['wrap']);
  });

  test.each([
    ['a different context', { context: text('other'), recordId }, 'invalid_ciphertext'],
    ['no context', { recordId }, 'invalid_ciphertext'],
    ['a different record id', { context, recordId: text('row 2') }, 'invalid_record'],
    ['no record id', { context }, 'invalid_record'],
    ['a part of the record id as the context', { context: text('row'), recordId: text(' 1') }, 'invalid_ciphertext'],
  ])('decrypting a record with %s is refused, even if its data key is cached', async (_, options, code) => {
    const dataKeys = new DataKeys(service);
    const record = await dataKeys.encrypt(keyId, plaintext, { context, recordId });
    await expect(dataKeys.decrypt(record, options)).rejects.toMatchObject({ code });
  });

  test('a record is refused if any byte is changed, if it is truncated, or if it contains the ciphertext of another record', async () => {
    const dataKeys = new DataKeys(service);
    const record = await dataKeys.encrypt(keyId, plaintext, { context, recordId });
    const expectRefused = (altered: Uint8Array, what: string) =>
      expect(dataKeys.decrypt(altered, { context, recordId }), what).rejects.toMatchObject({
        code: expect.toBeOneOf(['invalid_record', 'invalid_ciphertext', 'not_found', 'invalid_request']),
      });
    for (let at = 0; at < record.length; at++) {
      const changed = Buffer.from(record);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expectRefused(changed, `byte ${at}`);
    }
    for (const length of [0, 1, 18, 19, 40, record.length - 16, record.length - 1])
      await expectRefused(record.subarray(0, length), `${length} bytes`);
    const other = Buffer.from(await new DataKeys(service).encrypt(keyId, plaintext, { context, recordId }));
    const contents = record.length - plaintext.length - 72;
    const mixed = Buffer.concat([record.subarray(0, contents), other.subarray(contents)]);
    await expect(dataKeys.decrypt(mixed, { context, recordId })).rejects.toMatchObject({ code: 'invalid_record' });
  });

  test.each([
    ['a malformed key id', () => new DataKeys(service).encrypt('orders', plaintext), TypeError],
    ['an unknown key', () => new DataKeys(service).encrypt(KEY.id, plaintext), 'not found'],
    [
      'more bytes than a data key may encrypt',
      () => new DataKeys(service, { maxBytes: 5 }).encrypt(keyId, plaintext),
      RangeError,
    ],
  ])('%s is refused', async (_, attempt, error) => {
    await expect(attempt()).rejects.toThrow(error);
  });
});
