import { randomBytes, randomUUID } from 'node:crypto';
import { Decrypter, Encrypter, type Stanza } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeHeader } from '../../src/files/header.ts';
import { sealPayload } from '../../src/files/payload.ts';
import { unwrapFileKey, wrapFileKey } from '../../src/files/service-stanza.ts';
import {
  type ByteTransform,
  decryptStream,
  EncryptionService,
  type EncryptOptions,
  encryptStream,
  type FileOptions,
  readFileInfo,
  rewrapHeader,
} from '../../src/index.ts';
import { fakeService } from '../../src/testing/index.ts';
import { drain, readerOf, streamOf } from '../support/streams.ts';

function connect() {
  const fake = fakeService();
  return { ...fake, service: new EncryptionService(fake) };
}
const { service, keyId, calls } = connect();
let second: string;
beforeAll(async () => {
  ({ id: second } = await service.createKey({ name: 'second', tier: 'software' }));
});
const rotate = async (times: number) => {
  for (let done = 0; done < times; done++) await service.rotateKey(second);
};

const through = (bytes: Uint8Array, transform: ByteTransform) => drain(streamOf(bytes, 10_000).pipeThrough(transform));
const encrypt = async (bytes: Uint8Array, options?: EncryptOptions, key = keyId) => {
  const { output, error } = await through(bytes, encryptStream(service, key, options));
  expect(error).toBeUndefined();
  return output;
};
const decrypt = (file: Uint8Array, options?: FileOptions) => through(file, decryptStream(service, options));
const rewrap = (file: Uint8Array, options?: FileOptions) => through(file, rewrapHeader(service, options));

const NOTHING = Buffer.alloc(0);
const context = Buffer.from('backup of 2026-11-22');
const plaintext = randomBytes(200_000);

/** Returns the header of a file, including its last line feed, and the payload. */
function split(file: Buffer): [Buffer, Buffer] {
  const end = file.indexOf('\n', file.indexOf('\n--- ') + 1) + 1;
  return [file.subarray(0, end), file.subarray(end)];
}

describe('a file', () => {
  test.each([
    ['without armor', {}],
    ['without armor and with a context', { context }],
    ['with armor', { armor: true }],
    ['with armor and a context', { armor: true, context }],
  ])('a file encrypted %s is decrypted to the same plaintext', async (_, options: EncryptOptions) => {
    const file = await encrypt(plaintext, options);
    expect(await decrypt(file, options)).toEqual({ output: plaintext });
    expect(await readFileInfo(streamOf(file))).toEqual({ keyIds: [keyId], isArmored: options.armor === true });
  });

  test('the header of a file contains the key’s id and the wrapped file key, and nothing else', async () => {
    const [header] = split(await encrypt(plaintext));
    const [, body = ''] = /^age-encryption\.org\/v1\n-> esk \S+\n([^-]+)--- \S{43}\n$/.exec(header.toString()) ?? [];
    expect(header.toString()).toContain(`-> esk ${keyId}\n`);
    const { dek } = await service.unwrap(keyId, { wrapped: Buffer.from(body, 'base64') });
    expect(dek.length).toBe(16);
  });

  test.each([
    ['a different context', { context: Buffer.from('other') }],
    ['no context', {}],
  ])('a file that was encrypted with a context cannot be decrypted with %s', async (_, options: FileOptions) => {
    const wrong = await decrypt(await encrypt(plaintext, { context }), options);
    expect(wrong).toMatchObject({ output: NOTHING, error: { code: 'invalid_ciphertext' } });
  });

  test('a file costs one operation to encrypt and one to decrypt', async () => {
    const before = calls.length;
    await decrypt(await encrypt(plaintext));
    expect(calls.slice(before).map(({ operation }) => operation)).toEqual(['wrap', 'unwrap']);
  });
});

const edit = (file: Buffer, what: string | RegExp, to: string) =>
  Buffer.from(file.toString('latin1').replace(what, to), 'latin1');
const STANZA = /^->.*?(?=---)/ms;

describe('files that are refused without any output', () => {
  test.each<[string, (file: Buffer, other: Buffer) => Buffer, string]>([
    [
      'the header of another file',
      (file, other) => Buffer.concat([split(other)[0], split(file)[1]]),
      'payload_altered',
    ],
    [
      'the stanza of another file',
      (file, other) => edit(file, STANZA, STANZA.exec(other.toString('latin1'))?.[0] ?? ''),
      'header_altered',
    ],
    ['the ID of another key', (file) => edit(file, keyId, second), 'invalid_ciphertext'],
    ['an added stanza', (file) => edit(file, '\n--- ', '\n-> grease\n\n--- '), 'header_altered'],
    ['a malformed key ID', (file) => edit(file, /esk \S+/, 'esk ../../v1/me'), 'invalid_header'],
    ['no key ID', (file) => edit(file, /esk \S+/, 'esk'), 'invalid_header'],
    ['an argument after the key ID', (file) => edit(file, keyId, `${keyId} more`), 'invalid_header'],
  ])('a file with %s is refused', async (_, alter, code) => {
    const [file, other] = [await encrypt(plaintext), await encrypt(plaintext)];
    expect(await decrypt(alter(file, other))).toMatchObject({ output: NOTHING, error: { code } });
  });

  test('a file for a key that the caller cannot use is refused', async () => {
    const theirs = await through(await encrypt(plaintext), decryptStream(connect().service));
    const error = { name: 'EncryptionServiceError', code: 'not_found' };
    expect(theirs).toMatchObject({ output: NOTHING, error });
  });

  test('a file that is not for a key of the service is refused', async () => {
    const encrypter = new Encrypter();
    encrypter.addRecipient('age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj');
    const file = await encrypter.encrypt(plaintext);
    expect(await decrypt(file)).toMatchObject({ output: NOTHING, error: { code: 'no_service_key' } });
    expect(await rewrap(file)).toMatchObject({ output: NOTHING, error: { code: 'no_service_key' } });
    expect(await readFileInfo(streamOf(file))).toMatchObject({ keyIds: [] });
  });
});

test.each([
  ['an unknown key', randomUUID(), { code: 'not_found' }],
  ['an invalid id', 'orders', { name: 'TypeError' }],
])('encryption with %s fails without output, with or without armor', async (_, key, error) => {
  for (const isArmored of [false, true]) {
    const made = await through(plaintext, encryptStream(service, key, { armor: isArmored }));
    expect(made).toMatchObject({ output: NOTHING, error });
  }
});

describe('a rewrapped file', () => {
  test('a rewrapped file can be decrypted after the original key version is gone', async () => {
    const file = await encrypt(plaintext, { context }, second);
    await rotate(1);
    const rewrapped = await rewrap(file, { context });
    await rotate(2);
    expect(await decrypt(file, { context })).toMatchObject({ error: { code: 'invalid_ciphertext' } });
    expect(await decrypt(rewrapped.output, { context })).toEqual({ output: plaintext });
    expect(split(rewrapped.output)[1]).toEqual(split(file)[1]);
  });

  test('a file with armor still has armor after rewrapping', async () => {
    const { output } = await rewrap(await encrypt(plaintext, { armor: true }));
    expect(output.toString()).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n[^-]+-----END AGE ENCRYPTED FILE-----\n$/);
    expect(await decrypt(output)).toEqual({ output: plaintext });
  });

  test('rewrapping does not change a damaged payload', async () => {
    const file = (await encrypt(plaintext)).subarray(0, -10);
    const { output } = await rewrap(file);
    expect(split(output)[1]).toEqual(split(file)[1]);
  });

  test('rewrapping is refused if the context is missing or the header is altered', async () => {
    const file = await encrypt(plaintext, { context });
    expect(await rewrap(file)).toMatchObject({ output: NOTHING, error: { code: 'invalid_ciphertext' } });
    const altered = edit(file, '\n--- ', '\n-> grease\n\n--- ');
    expect(await rewrap(altered, { context })).toMatchObject({ output: NOTHING, error: { code: 'header_altered' } });
  });
});

describe('a file for several keys', () => {
  async function fileFor(...stanzas: { args: readonly string[]; body: Uint8Array }[]) {
    const { output } = await drain(sealPayload(fileKey, readerOf(plaintext)));
    return Buffer.concat([await encodeHeader(fileKey, stanzas), output]);
  }
  const fileKey = randomBytes(16);

  test('a file that is encrypted for several keys can be decrypted with any one of these keys', async () => {
    const otherTenant = connect();
    const theirs = await wrapFileKey(otherTenant.service, otherTenant.keyId, fileKey);
    const ours = await wrapFileKey(service, keyId, fileKey);
    const file = await fileFor({ args: ['grease', 'x'], body: randomBytes(48) }, theirs, ours);
    expect(await decrypt(file)).toEqual({ output: plaintext });
    expect(await through(file, decryptStream(otherTenant.service))).toEqual({ output: plaintext });
    expect((await readFileInfo(streamOf(file))).keyIds).toEqual([otherTenant.keyId, keyId]);
  });

  test('rewrapping a file renews the stanzas of all its keys, and keeps the stanzas of other recipients', async () => {
    const stanzas = [await wrapFileKey(service, keyId, fileKey), await wrapFileKey(service, second, fileKey)];
    const file = await fileFor(...stanzas, { args: ['grease', 'x'], body: randomBytes(48) });
    const { output } = await rewrap(file);
    expect(await decrypt(output)).toEqual({ output: plaintext });
    const [before, after] = [file, output].map((one) => split(one)[0].toString().split('-> '));
    expect(after?.[3]?.split('---')[0]).toBe(before?.[3]?.split('---')[0]);
    for (const stanza of [1, 2]) expect(after?.[stanza]).not.toBe(before?.[stanza]);
  });
});

describe('age’s own library', () => {
  test('age’s own library decrypts a file from this library with an identity that calls the service', async () => {
    const decrypter = new Decrypter();
    decrypter.addIdentity({ unwrapFileKey: (stanzas: Stanza[]) => unwrapFileKey(service, stanzas) });
    expect(Buffer.from(await decrypter.decrypt(await encrypt(plaintext))).equals(plaintext)).toBe(true);
  });

  test('this library decrypts a file that age’s own library encrypts with a recipient that calls the service', async () => {
    const encrypter = new Encrypter();
    const wrapFor = async (fileKey: Uint8Array): Promise<Stanza> => {
      const { args, body } = await wrapFileKey(service, keyId, fileKey);
      return { args: [...args], body };
    };
    encrypter.addRecipient({ wrapFileKey: async (fileKey) => [await wrapFor(fileKey)] });
    expect(await decrypt(await encrypter.encrypt(plaintext))).toEqual({ output: plaintext });
  });
});
