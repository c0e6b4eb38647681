import { createPublicKey, verify } from 'node:crypto';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { expect, test } from 'vitest';
import { crc32c } from '../../../shared/kms/crc32c.ts';
import { ChecksumMismatch } from '../../../shared/kms/integrity.ts';
import { Kms } from '../../../shared/kms/kms.ts';
import { SigningKey } from '../../../shared/kms/signing-key.ts';
import { createKey, createSigningVersion, openKms, RING } from '../../emulators/kms-harness.ts';

/** RFC 3720 B.4. The RFC prints the checksum in wire byte order. */
const READ_COMMAND = '01c000000000000000000000000000001400000000000400000000140000001828000000000000000200000000000000';

test.each([
  ['32 bytes of zeroes', Buffer.alloc(32), 0x8a9136aa],
  ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['32 bytes counting up', Buffer.from(Array.from({ length: 32 }, (_, at) => at)), 0x46dd794e],
  ['32 bytes counting down', Buffer.from(Array.from({ length: 32 }, (_, at) => 31 - at)), 0x113fdb5c],
  ['an iSCSI read command', Buffer.from(READ_COMMAND, 'hex'), 0xd9963a56],
])('CRC32C matches RFC 3720 B.4: %s', async (_, bytes, checksum) => {
  expect(await crc32c(bytes)).toBe(checksum);
});

test('CRC32C of "123456789" is e3069283, the published check value', async () => {
  expect(await crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
});

test('CRC32C of no bytes is 0', async () => {
  expect(await crc32c(Buffer.alloc(0))).toBe(0);
});

test('CRC32C does not depend on earlier calls', async () => {
  const bytes = Buffer.from('123456789');
  await crc32c(Buffer.alloc(65_536, 1));
  expect(await crc32c(bytes)).toBe(0xe3069283);
  expect(await crc32c(Buffer.concat([Buffer.from('xx'), bytes]).subarray(2))).toBe(0xe3069283);
});

test('CRC32C detects every single flipped bit', async () => {
  const bytes = Buffer.from('a payload on its way to the KMS');
  const whole = await crc32c(bytes);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(await crc32c(flipped)).not.toBe(whole);
  }
});

const PLAINTEXT = Buffer.from('data');
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
  const ciphertext = (await kms.encrypt(cryptoKey, PLAINTEXT, AAD)) ?? Buffer.alloc(0);
  const inner = client.innerApiCalls[name];
  if (inner === undefined) throw new Error(`no call ${name}`);
  let answers = 0;
  client.innerApiCalls[name] = async (...given: unknown[]) => {
    answers++;
    const [answer, ...more] = await inner(...given);
    return [{ ...answer, ...damage }, ...more];
  };
  const used = name === 'encrypt' ? kms.encrypt(cryptoKey, PLAINTEXT, AAD) : kms.decrypt(cryptoKey, ciphertext, AAD);
  await expect(used).rejects.toThrow(ChecksumMismatch);
  expect(answers).toBe(3);
});

const DATA = Buffer.from('three\nlines\nof text\n');
const OTHER = Buffer.from('something else');

type Calls = KeyManagementServiceClient['innerApiCalls'];

/** Makes a signing key in the emulator. `damage` can change what its KMS client sends and receives. */
async function open(damage: (calls: Calls) => void = () => undefined) {
  const { client } = await openKms();
  const name = await createSigningVersion(client, 'k');
  await client.initialize();
  damage(client.innerApiCalls);
  return { client, name, key: new SigningKey(name, async () => client) };
}

/** Returns a function for `open` that damages the request or the answer of the first `times` calls. */
function damaging(call: string, times: number, change: { request?: object; answer?: object }) {
  let left = times;
  return (calls: Calls) => {
    const inner = calls[call];
    if (inner === undefined) throw new Error(`no call ${call}`);
    calls[call] = async (request: object, ...rest: unknown[]) => {
      if (left-- <= 0) return inner(request, ...rest);
      const [answer, ...more] = await inner({ ...request, ...change.request }, ...rest);
      return [{ ...answer, ...change.answer }, ...more];
    };
  };
}

test('a signature verifies with the public key, and signing the same data again returns the same signature', async () => {
  const { key } = await open();
  const x = Buffer.from(await key.publicKey()).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const signature = await key.sign(DATA);
  expect(verify(null, DATA, publicKey, signature)).toBe(true);
  expect(await key.sign(DATA)).toEqual(signature);
});

test('the public key is read until a read succeeds, and then cached', async () => {
  const { client, name, key } = await open();
  const disable = (state: 'DISABLED' | 'ENABLED') =>
    client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask: { paths: ['state'] } });
  await disable('DISABLED');
  await expect(key.publicKey()).rejects.toThrow('not enabled');
  await disable('ENABLED');
  const cached = await key.publicKey();
  await disable('DISABLED');
  expect(await key.publicKey()).toBe(cached);
});

const damages = [
  ['the message to sign', 'asymmetricSign', { request: { data: OTHER } }],
  ['a signature', 'asymmetricSign', { answer: { signature: Buffer.alloc(64) } }],
  [
    'the flag that the KMS verified the request’s checksum',
    'asymmetricSign',
    { answer: { verifiedDataCrc32c: false } },
  ],
  ['the name of the signing key', 'asymmetricSign', { answer: { name: 'another' } }],
  ['a public key', 'getPublicKey', { answer: { pem: 'another' } }],
  ['the name of the public key', 'getPublicKey', { answer: { name: 'another' } }],
] as const;

test.for(damages)(
  'a KMS call is retried if %s was damaged in transit, and fails after a few attempts',
  async ([, call, change]) => {
    const use = (key: SigningKey) => (call === 'asymmetricSign' ? key.sign(DATA) : key.publicKey());
    const once = await open(damaging(call, 1, change));
    expect(await use(once.key)).toHaveLength(call === 'asymmetricSign' ? 64 : 32);
    const always = await open(damaging(call, 9, change));
    await expect(use(always.key)).rejects.toThrow(ChecksumMismatch);
  },
);
