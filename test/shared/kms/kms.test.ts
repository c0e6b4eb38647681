import { createPublicKey, verify } from 'node:crypto';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { expect, test } from 'vitest';
import { crc32c } from '../../../shared/kms/crc32c.ts';
import { ChecksumMismatch } from '../../../shared/kms/integrity.ts';
import { KmsInventory } from '../../../shared/kms/inventory.ts';
import { Kms } from '../../../shared/kms/kms.ts';
import { SigningKey } from '../../../shared/kms/signing-key.ts';
import {
  createKey,
  createReadyHsmKey,
  createSigningVersion,
  DAY,
  HOUR,
  openKms,
  RING,
  START,
} from '../../emulators/kms-harness.ts';

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

test('CRC32C of no bytes is 0', async () => {
  expect(await crc32c(Buffer.alloc(0))).toBe(0);
});

test('CRC32C of "123456789" is e3069283, the published check value, whatever the earlier calls', async () => {
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
const DATA = Buffer.from('three\nlines\nof text\n');
const OTHER = Buffer.from('something else');

/** Damages the requests or the answers of the next `times` calls. Returns a function that counts the calls since. */
function damage(
  { innerApiCalls: calls }: KeyManagementServiceClient,
  call: string,
  times: number,
  change: { readonly request?: object; readonly answer?: object },
): () => number {
  const inner = calls[call];
  if (inner === undefined) throw new Error(`no call ${call}`);
  let made = 0;
  calls[call] = async (request: object, ...rest: unknown[]) => {
    made++;
    if (made > times) return inner(request, ...rest);
    const [answer, ...more] = await inner({ ...request, ...change.request }, ...rest);
    return [{ ...answer, ...change.answer }, ...more];
  };
  return () => made;
}

test.each([
  ['encrypt', { ciphertextCrc32c: { value: '1' } }],
  ['encrypt', { verifiedPlaintextCrc32c: false }],
  ['encrypt', { verifiedAdditionalAuthenticatedDataCrc32c: false }],
  ['decrypt', { plaintextCrc32c: { value: '1' } }],
] as const)('%s fails after three answers that are damaged: %j', async (name, answer) => {
  const { client } = await openKms();
  const cryptoKey = await createKey(client, 'k');
  const kms = new Kms(RING, async () => client);
  const ciphertext = (await kms.encrypt(cryptoKey, PLAINTEXT, AAD)) ?? Buffer.alloc(0);
  const calls = damage(client, name, 9, { answer });
  await expect(kms[name](cryptoKey, name === 'encrypt' ? PLAINTEXT : ciphertext, AAD)).rejects.toThrow(
    ChecksumMismatch,
  );
  expect(calls()).toBe(3);
});

test.each([{ ciphertext: OTHER }, { additionalAuthenticatedData: OTHER }])(
  'a request to decrypt that was damaged on the way is sent again: %j',
  async (request) => {
    const { client } = await openKms();
    const cryptoKey = await createKey(client, 'k');
    const kms = new Kms(RING, async () => client);
    const ciphertext = (await kms.encrypt(cryptoKey, PLAINTEXT, AAD)) ?? Buffer.alloc(0);
    damage(client, 'decrypt', 1, { request });
    expect((await kms.decrypt(cryptoKey, ciphertext, AAD))?.plaintext).toEqual(PLAINTEXT);
  },
);

/** Makes a signing key in the emulator. */
async function openSigning() {
  const { client } = await openKms();
  const name = await createSigningVersion(client, 'k');
  await client.initialize();
  return { client, name, key: new SigningKey(name, async () => client) };
}

test('a signature verifies with the public key, and signing the same data again returns the same signature', async () => {
  const { key } = await openSigning();
  const x = Buffer.from(await key.publicKey()).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const signature = await key.sign(DATA);
  expect(verify(null, DATA, publicKey, signature)).toBe(true);
  expect(await key.sign(DATA)).toEqual(signature);
});

test('the public key is read until a read succeeds, and then cached', async () => {
  const { client, name, key } = await openSigning();
  const disable = (state: 'DISABLED' | 'ENABLED') =>
    client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask: { paths: ['state'] } });
  await disable('DISABLED');
  await expect(key.publicKey()).rejects.toThrow('not enabled');
  await disable('ENABLED');
  const cached = await key.publicKey();
  await disable('DISABLED');
  expect(await key.publicKey()).toBe(cached);
});

test.for([
  ['the message to sign', 'asymmetricSign', { request: { data: OTHER } }],
  ['a signature', 'asymmetricSign', { answer: { signature: Buffer.alloc(64) } }],
  ['the KMS’s flag for a verified checksum', 'asymmetricSign', { answer: { verifiedDataCrc32c: false } }],
  ['the name of the signing key', 'asymmetricSign', { answer: { name: 'another' } }],
  ['a public key', 'getPublicKey', { answer: { pem: 'another' } }],
  ['the name of the public key', 'getPublicKey', { answer: { name: 'another' } }],
] as const)('a KMS call is retried if %s was damaged in transit, and fails after a few attempts', async (row) => {
  const [, call, change] = row;
  const use = (key: SigningKey) => (call === 'asymmetricSign' ? key.sign(DATA) : key.publicKey());
  const [once, always] = [await openSigning(), await openSigning()];
  damage(once.client, call, 1, change);
  expect(await use(once.key)).toHaveLength(call === 'asymmetricSign' ? 64 : 32);
  damage(always.client, call, 9, change);
  await expect(use(always.key)).rejects.toThrow(ChecksumMismatch);
});

/** The service’s KMS on an emulator, with a client for checks. */
async function openVersions() {
  const { client } = await openKms();
  const kms = new Kms(RING, async () => client);
  const stateOf = async (name: string) => (await client.getCryptoKeyVersion({ name }))[0].state;
  return { client, kms, stateOf };
}

test('scheduling a version for destruction is idempotent, and a missing version is not an error', async () => {
  const { kms, stateOf } = await openVersions();
  const name = await kms.createCryptoKey('k', 'SOFTWARE');
  expect(name).toBe(kms.firstVersion('k'));
  await kms.destroyVersion(name);
  await kms.destroyVersion(name);
  expect(await stateOf(name)).toBe('DESTROY_SCHEDULED');
  await kms.destroyVersion(kms.firstVersion('never-made'));
});

test('destruction waits until the HSM has generated the version', async () => {
  const { client, kms, stateOf } = await openVersions();
  const parent = await createReadyHsmKey(client, 'k');
  const [{ name }] = await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
  await kms.destroyVersion(name ?? '');
  expect(await stateOf(name ?? '')).toBe('DESTROY_SCHEDULED');
});

test('decryption reports whether the primary version was used, and older versions still decrypt', async () => {
  const { kms } = await openVersions();
  const [data, aad] = [Buffer.from('data'), Buffer.from('aad')];
  const first = await kms.createCryptoKey('k', 'SOFTWARE');
  const second = await kms.createVersion('k');
  const usedPrimary = async (version: string) => {
    const ciphertext = (await kms.encrypt(version, data, aad)) ?? Buffer.of();
    return (await kms.decrypt(kms.cryptoKey('k'), ciphertext, aad))?.usedPrimary;
  };
  expect([await usedPrimary(first), await usedPrimary(second)]).toEqual([true, false]);
  await kms.makePrimary('k', second);
  await kms.makePrimary('k', second);
  expect([await usedPrimary(first), await usedPrimary(second)]).toEqual([false, true]);
});

test('the primary version does not change to a destroyed or missing version', async () => {
  const { client, kms } = await openVersions();
  const first = await kms.createCryptoKey('k', 'SOFTWARE');
  const second = await kms.createVersion('k');
  await kms.destroyVersion(second);
  await kms.makePrimary('k', second);
  await kms.makePrimary('k', `${kms.cryptoKey('k')}/cryptoKeyVersions/7`);
  const [{ primary }] = await client.getCryptoKey({ name: kms.cryptoKey('k') });
  expect(primary?.name).toBe(first);
});

test('the list of versions to destroy includes HSM versions that are being generated, and no destroyed versions', async () => {
  const { client, kms } = await openVersions();
  const parent = await createReadyHsmKey(client, 'k');
  await kms.createVersion('k');
  await kms.destroyVersion(kms.firstVersion('k'));
  await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
  expect(await kms.listVersions('k')).toEqual([2, 3].map((id) => `${parent}/cryptoKeyVersions/${id}`));
});

test('the list of versions to destroy covers all pages, and is empty for a missing CryptoKey', async () => {
  const { client, kms } = await openVersions();
  await kms.createCryptoKey('k', 'SOFTWARE');
  const parent = kms.cryptoKey('k');
  await Promise.all(Array.from({ length: 120 }, () => client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} })));
  expect(await kms.listVersions('k')).toHaveLength(121);
  expect(await kms.listVersions('never-made')).toEqual([]);
});

/** A limit that is high enough not to slow a test down. */
const READS_PER_MINUTE = 100_000;

async function openInventory() {
  const { client, clock } = await openKms();
  return { client, clock, inventory: new KmsInventory(async () => client, READS_PER_MINUTE) };
}

test('all CryptoKeys of a key ring are listed once, across pages', async () => {
  const { client, inventory } = await openInventory();
  const ids = Array.from({ length: 251 }, (_, n) => `key-${n}`);
  await Promise.all(ids.map((id) => createKey(client, id)));
  const pages = await Array.fromAsync(inventory.cryptoKeys(RING));
  expect(pages.map(({ length }) => length)).toEqual([250, 1]);
  expect(new Set(pages.flat().map(({ id }) => id))).toEqual(new Set(ids));
  expect(pages[1]?.[0]).toMatchObject({ createdAt: START * 1_000, name: expect.stringContaining(RING) });
});

test('versions in every state are listed oldest first, with the time of their destruction', async () => {
  const { client, clock, inventory } = await openInventory();
  const parent = await createKey(client, 'k');
  for (let n = 2; n <= 11; n++) await client.createCryptoKeyVersion({ parent, cryptoKeyVersion: {} });
  const name = (number: number) => `${parent}/cryptoKeyVersions/${number}`;
  await client.destroyCryptoKeyVersion({ name: name(1) });
  clock.now += DAY - HOUR;
  await client.destroyCryptoKeyVersion({ name: name(2) });
  clock.now += 2 * HOUR;
  const versions = await inventory.versions(parent);
  expect(versions?.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(versions?.slice(0, 3)).toMatchObject([
    { state: 'DESTROYED', destroyAt: (START + DAY) * 1_000 },
    { state: 'DESTROY_SCHEDULED', destroyAt: (START + 2 * DAY - HOUR) * 1_000 },
    { name: name(3), state: 'ENABLED', createdAt: START * 1_000, destroyAt: null },
  ]);
});

test('listing the versions of a CryptoKey that does not exist returns undefined', async () => {
  const { inventory } = await openInventory();
  expect(await inventory.versions(`${RING}/cryptoKeys/never-made`)).toBeUndefined();
});
