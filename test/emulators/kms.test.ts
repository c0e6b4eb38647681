import { spawn } from 'node:child_process';
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { test as base, expect, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { crc32c } from '../../emulators/kms/requests.ts';
import { startKms } from '../../emulators/kms/server.ts';
import {
  CODE,
  connect,
  createKey,
  createReadyHsmKey,
  createSigningKey,
  createSigningVersion,
  DAY,
  LOCATION,
  makeStatePath,
  openKms,
  RING,
  START,
  seal,
} from './kms-harness.ts';

// The behavior of Cloud KMS on which the service relies. A source is a message or an enum in Google's API definition,
// `service.proto` and `resources.proto` of `google.cloud.kms.v1`, or a page of https://docs.cloud.google.com/kms/docs.

const plaintext = Buffer.from('attack at dawn');
const aad = Buffer.from('tenant 1');
const updateMask = { paths: ['state'] };
const invalid = { code: CODE.invalidArgument };
const bytes = (value: Uint8Array | string | null | undefined) => Buffer.from(value ?? '');
const checksum = (value: Uint8Array) => ({ value: crc32c(value) });
const shown = (value: Uint8Array | string | null | undefined) => ({ value: String(crc32c(bytes(value))) });
const versionOf = (key: string, id = 1) => `${key}/cryptoKeyVersions/${id}`;

/** An emulator with an encryption key, whose version 1 is enabled, and an enabled version of a signing key. */
const open = async () => {
  const kms = await openKms();
  const key = await createKey(kms.client, 'k');
  return { ...kms, key, version: versionOf(key), signing: await createSigningVersion(kms.client, 'signing') };
};
const test = base.extend('kms', open);

test('checksums of a request are verified, and answers have them (EncryptRequest, DecryptRequest)', async ({ kms }) => {
  const additional = { additionalAuthenticatedData: aad, additionalAuthenticatedDataCrc32c: checksum(aad) };
  const request = { name: kms.key, plaintext, plaintextCrc32c: checksum(plaintext), ...additional };
  const [sealed] = await kms.client.encrypt(request);
  expect(sealed).toMatchObject({
    name: kms.version,
    verifiedPlaintextCrc32c: true,
    verifiedAdditionalAuthenticatedDataCrc32c: true,
    ciphertextCrc32c: shown(sealed.ciphertext),
  });
  const ciphertext = bytes(sealed.ciphertext);
  const ciphertextCrc32c = checksum(ciphertext);
  const [opened] = await kms.client.decrypt({ name: kms.key, ciphertext, ciphertextCrc32c, ...additional });
  expect(opened).toMatchObject({ plaintext, plaintextCrc32c: shown(plaintext), usedPrimary: true });
});

test('an absent checksum is not reported as verified, but the checksum 0 is (EncryptResponse)', async ({ kms }) => {
  const zero = { additionalAuthenticatedDataCrc32c: { value: 0 } };
  const [sealed] = await kms.client.encrypt({ name: kms.key, plaintext, ...zero });
  expect(sealed).toMatchObject({ verifiedPlaintextCrc32c: false, verifiedAdditionalAuthenticatedDataCrc32c: true });
  expect((await kms.client.asymmetricSign({ name: kms.signing, data: aad }))[0].verifiedDataCrc32c).toBe(false);
});

test('a wrong checksum is refused (EncryptRequest, DecryptRequest, AsymmetricSignRequest)', async ({ kms }) => {
  const ciphertext = await seal(kms.client, { name: kms.key, plaintext });
  const { client, key: name, signing } = kms;
  const named = { ...invalid, message: expect.stringMatching(/crc32c/) };
  for (const wrong of [0, 1].map((value) => ({ value }))) {
    await expect(client.encrypt({ name, plaintext, plaintextCrc32c: wrong })).rejects.toMatchObject(named);
    await expect(client.decrypt({ name, ciphertext, ciphertextCrc32c: wrong })).rejects.toMatchObject(named);
    await expect(client.asymmetricSign({ name: signing, data: aad, dataCrc32c: wrong })).rejects.toMatchObject(named);
    const additional = { additionalAuthenticatedData: aad, additionalAuthenticatedDataCrc32c: wrong };
    await expect(client.encrypt({ name, plaintext, ...additional })).rejects.toMatchObject(named);
    await expect(client.decrypt({ name, ciphertext, ...additional })).rejects.toMatchObject(named);
  }
});

test.each([
  { level: 'SOFTWARE', largest: [65_536, 65_536], larger: [65_537, 65_537] },
  { level: 'HSM', largest: [8_000, 192], larger: [8_001, 193] },
] as const)('a $level key has the limits that EncryptRequest states', async ({ level, largest, larger }) => {
  const { client } = await openKms();
  const name = await (level === 'HSM' ? createReadyHsmKey : createKey)(client, 'k');
  const request = ([plain, additional]: readonly [number, number]) => ({
    name,
    plaintext: Buffer.alloc(plain, 1),
    additionalAuthenticatedData: Buffer.alloc(additional, 1),
  });
  for (const size of [largest, [0, 0]] as const) {
    const { additionalAuthenticatedData } = request(size);
    const ciphertext = await seal(client, request(size));
    const [opened] = await client.decrypt({ name, ciphertext, additionalAuthenticatedData });
    expect(opened.protectionLevel).toBe(level);
    expect(bytes(opened.plaintext).equals(request(size).plaintext)).toBe(true);
  }
  await expect(client.encrypt(request([larger[0], largest[1]]))).rejects.toMatchObject(invalid);
  await expect(client.encrypt(request([largest[0], larger[1]]))).rejects.toMatchObject(invalid);
});

test('a changed, cut or extended ciphertext, and other additional data, are refused (Decrypt)', async ({ kms }) => {
  const { client, key: name } = kms;
  const ciphertext = await seal(client, { name, plaintext, additionalAuthenticatedData: aad });
  const changed = [...ciphertext.keys()].map((index) =>
    Buffer.from(ciphertext.map((byte, at) => (at === index ? byte ^ 1 : byte))),
  );
  const cut = [0, 40, ciphertext.length - 1].map((length) => ciphertext.subarray(0, length));
  for (const value of [...changed, ...cut, Buffer.concat([ciphertext, Buffer.alloc(1)])]) {
    const request = { name, ciphertext: value, additionalAuthenticatedData: aad };
    await expect(client.decrypt(request), value.toString('hex')).rejects.toMatchObject(invalid);
  }
  for (const additionalAuthenticatedData of [Buffer.alloc(0), Buffer.from('tenant 2')]) {
    await expect(client.decrypt({ name, ciphertext, additionalAuthenticatedData })).rejects.toMatchObject(invalid);
  }
  const other = { name: await createKey(client, 'other'), ciphertext, additionalAuthenticatedData: aad };
  await expect(client.decrypt(other)).rejects.toMatchObject(invalid);
});

test('versions are independent, and a new one is primary only on request (CryptoKeyVersion)', async ({ kms }) => {
  const { client, key: name } = kms;
  const [{ name: second }] = await client.createCryptoKeyVersion({ parent: name, cryptoKeyVersion: {} });
  expect(second).toBe(versionOf(name, 2));
  expect((await client.encrypt({ name, plaintext }))[0].name).toBe(versionOf(name, 1));
  const ciphertext = await seal(client, { name: versionOf(name, 2), plaintext });
  expect((await client.decrypt({ name, ciphertext }))[0]).toMatchObject({ plaintext, usedPrimary: false });
  const [key] = await client.updateCryptoKeyPrimaryVersion({ name, cryptoKeyVersionId: '2' });
  expect(key.primary?.name).toBe(versionOf(name, 2));
  expect((await client.encrypt({ name, plaintext }))[0].name).toBe(versionOf(name, 2));
  expect((await client.decrypt({ name, ciphertext }))[0].usedPrimary).toBe(true);
  await client.destroyCryptoKeyVersion({ name: versionOf(name, 1) });
  expect((await client.decrypt({ name, ciphertext }))[0].plaintext).toEqual(plaintext);
  expect(await seal(client, { name, plaintext })).not.toEqual(await seal(client, { name, plaintext }));
});

const STATES = ['PENDING_GENERATION', 'ENABLED', 'DISABLED', 'DESTROY_SCHEDULED', 'DESTROYED'] as const;
type State = (typeof STATES)[number];

/** Version 1 of a key, and a ciphertext of this version. */
type Target = { client: KeyManagementServiceClient; key: string; name: string; ciphertext: Buffer };

const setState =
  (state: State) =>
  ({ client, name }: Target) =>
    client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask });
const destroy = ({ client, name }: Target) => client.destroyCryptoKeyVersion({ name });

/** The states in which a version allows each request (CryptoKeyVersionState; the page “Key version states”). */
const REQUESTS: Readonly<Record<string, readonly [readonly State[], (target: Target) => Promise<unknown>]>> = {
  encrypt: [['ENABLED'], ({ client, key: name }) => client.encrypt({ name, plaintext })],
  decrypt: [['ENABLED'], ({ client, key: name, ciphertext }) => client.decrypt({ name, ciphertext })],
  sign: [['ENABLED'], ({ client, name }) => client.asymmetricSign({ name, data: plaintext })],
  'get the public key': [['ENABLED'], ({ client, name }) => client.getPublicKey({ name })],
  'make primary': [
    ['ENABLED'],
    ({ client, key: name }) => client.updateCryptoKeyPrimaryVersion({ name, cryptoKeyVersionId: '1' }),
  ],
  enable: [['ENABLED', 'DISABLED'], setState('ENABLED')],
  disable: [['ENABLED', 'DISABLED'], setState('DISABLED')],
  destroy: [['ENABLED', 'DISABLED'], destroy],
  restore: [['DESTROY_SCHEDULED'], ({ client, name }) => client.restoreCryptoKeyVersion({ name })],
};

test.each(Object.entries(REQUESTS))('“%s” is allowed in its states only', async (request, [allowed, send]) => {
  const { client, clock } = await openKms();
  const signs = request === 'sign' || request === 'get the public key';
  const found: State[] = [];
  for (const state of STATES) {
    const isPending = state === 'PENDING_GENERATION';
    // No ciphertext of a pending version exists.
    if (isPending && request === 'decrypt') continue;
    const level = isPending ? 'HSM' : 'SOFTWARE';
    const key = await (signs ? createSigningKey : createKey)(client, state, level);
    const name = versionOf(key);
    if (signs && !isPending) await client.getCryptoKeyVersion({ name });
    const ciphertext = signs || isPending ? Buffer.of() : await seal(client, { name: key, plaintext });
    const target = { client, key, name, ciphertext };
    if (state === 'DISABLED') await setState(state)(target);
    if (state.startsWith('DESTROY')) await destroy(target);
    if (state === 'DESTROYED') clock.now += 30 * DAY;
    const refused = await send(target).catch((error: unknown) => error);
    if (refused instanceof Error) expect(refused).toMatchObject({ code: CODE.failedPrecondition });
    else found.push(state);
  }
  expect(found).toEqual(allowed);
});

test('a new HSM version or key pair is pending at first; clients must poll (CryptoKeyVersionState)', async ({
  kms,
}) => {
  const { client } = kms;
  for (const parent of [await createReadyHsmKey(client, 'hsm'), kms.signing.replace(/\/[^/]+\/1$/, '')]) {
    const [{ name = '', state, generateTime }] = await client.createCryptoKeyVersion({ parent });
    expect([state, generateTime]).toEqual(['PENDING_GENERATION', null]);
    const count = async (wanted: State) =>
      (await client.listCryptoKeyVersions({ parent, filter: `state=${wanted}` }))[0].length;
    expect([await count('PENDING_GENERATION'), await count('ENABLED')]).toEqual([1, 2]);
    expect((await client.getCryptoKeyVersion({ name }))[0].state).toBe('ENABLED');
  }
  const name = await createKey(client, 'new', 'HSM');
  expect((await client.getCryptoKey({ name }))[0].primary?.state).toBe('PENDING_GENERATION');
  expect((await client.getCryptoKey({ name }))[0].primary?.state).toBe('ENABLED');
});

test('a version is destroyed after its duration, and for good (destroy_scheduled_duration)', async ({ kms }) => {
  const { client, clock, key, version: name } = kms;
  const ciphertext = await seal(client, { name: key, plaintext });
  const [scheduled] = await client.destroyCryptoKeyVersion({ name });
  const time = { seconds: String((START + DAY) / 1000) };
  expect(scheduled).toMatchObject({ state: 'DESTROY_SCHEDULED', destroyTime: time });
  clock.now += DAY - 1;
  expect((await client.restoreCryptoKeyVersion({ name }))[0]).toMatchObject({ state: 'DISABLED', destroyTime: null });
  await client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'ENABLED' }, updateMask });
  clock.now += DAY;
  expect((await client.decrypt({ name: key, ciphertext }))[0].plaintext).toEqual(plaintext);
  clock.now = START;
  await client.destroyCryptoKeyVersion({ name });
  clock.now += DAY;
  const destroyed = { state: 'DESTROYED', destroyTime: null, destroyEventTime: time };
  expect((await client.getCryptoKeyVersion({ name }))[0]).toMatchObject(destroyed);
  clock.now = START;
  expect((await client.getCryptoKeyVersion({ name }))[0]).toMatchObject(destroyed);
});

test.each(['SOFTWARE', 'HSM'] as const)('a key of the level %s signs data with Ed25519 (RFC 8032)', async (level) => {
  const { client } = await openKms();
  const name = await createSigningVersion(client, 'k', level);
  const [answer] = await client.asymmetricSign({ name, data: aad, dataCrc32c: checksum(aad) });
  const signatureCrc32c = shown(answer.signature);
  expect(answer).toMatchObject({ name, protectionLevel: level, signatureCrc32c, verifiedDataCrc32c: true });
  const [publicKey] = await client.getPublicKey({ name });
  const { pem } = publicKey;
  expect(publicKey).toMatchObject({ name, algorithm: 'EC_SIGN_ED25519', pemCrc32c: shown(Buffer.from(pem ?? '')) });
  expect(verify(null, aad, createPublicKey(pem ?? ''), bytes(answer.signature))).toBe(true);
  expect(verify(null, plaintext, createPublicKey(pem ?? ''), bytes(answer.signature))).toBe(false);
});

test('EC_SIGN_ED25519 signs data, not a digest (AsymmetricSignRequest)', async ({ kms: { client, signing: name } }) => {
  const digest = { sha256: Buffer.alloc(32) };
  for (const request of [{ digest }, { digest, data: aad }, { data: aad, digestCrc32c: { value: 0 } }, {}]) {
    await expect(client.asymmetricSign({ name, ...request })).rejects.toMatchObject(invalid);
  }
});

test('keys are listed by ring, page by page (ListCryptoKeysRequest)', async ({ kms: { client } }) => {
  await client.createKeyRing({ parent: LOCATION, keyRingId: 'ring-2', keyRing: {} });
  const onePage = { autoPaginate: false };
  const [first, next, answer] = await client.listCryptoKeys({ parent: RING, pageSize: 1 }, onePage);
  const [second, none] = await client.listCryptoKeys(next ?? {}, onePage);
  const names = [...first, ...second].map((key) => key.name?.slice(RING.length));
  expect([names, answer.totalSize, none]).toEqual([['/cryptoKeys/k', '/cryptoKeys/signing'], 2, null]);
  expect((await client.listCryptoKeys({ parent: `${RING}-2` }))[0]).toEqual([]);
});

test.each([
  ['', [1, 2, 3, 4]],
  ['state=ENABLED', [2, 4]],
  ['state = "ENABLED" OR state=DISABLED', [2, 3, 4]],
  ['state=DESTROY_SCHEDULED', [1]],
])('the filter %j lists the versions %j (the page “Sort and filter”)', async (filter, numbers) => {
  const { client, key: parent } = await open();
  for (const _ of [2, 3, 4]) await client.createCryptoKeyVersion({ parent });
  await client.destroyCryptoKeyVersion({ name: versionOf(parent, 1) });
  const disabled = { name: versionOf(parent, 3), state: 'DISABLED' } as const;
  await client.updateCryptoKeyVersion({ cryptoKeyVersion: disabled, updateMask });
  const [versions] = await client.listCryptoKeyVersions({ parent, filter, pageSize: 1 });
  expect(versions.map(({ name }) => name)).toEqual(numbers.map((number) => versionOf(parent, number)));
});

test('no page skips a version because an earlier one changed (ListCryptoKeyVersionsRequest)', async ({ kms }) => {
  const { client, key: parent } = kms;
  await client.createCryptoKeyVersion({ parent });
  const request = { parent, filter: 'state=ENABLED', pageSize: 1 };
  const [first, next] = await client.listCryptoKeyVersions(request, { autoPaginate: false });
  await client.destroyCryptoKeyVersion({ name: first[0]?.name ?? '' });
  const [second] = await client.listCryptoKeyVersions(next ?? {}, { autoPaginate: false });
  expect([...first, ...second].map(({ name }) => name)).toEqual([versionOf(parent, 1), versionOf(parent, 2)]);
});

test('by default, a key is SOFTWARE and waits 30 days before destruction (CryptoKey)', async ({ kms: { client } }) => {
  const cryptoKey = { purpose: 'ENCRYPT_DECRYPT' } as const;
  const [created] = await client.createCryptoKey({ parent: RING, cryptoKeyId: 'new', cryptoKey });
  const name = `${RING}/cryptoKeys/new`;
  const level = { protectionLevel: 'SOFTWARE', algorithm: 'GOOGLE_SYMMETRIC_ENCRYPTION' };
  const createTime = { seconds: String(START / 1000) };
  expect(created).toMatchObject({
    ...cryptoKey,
    name,
    createTime,
    versionTemplate: level,
    destroyScheduledDuration: { seconds: '2592000' },
    primary: { name: versionOf(name), state: 'ENABLED', createTime, generateTime: createTime, ...level },
  });
  expect((await client.getCryptoKey({ name }))[0]).toEqual(created);
  expect((await client.getKeyRing({ name: RING }))[0]).toMatchObject({ name: RING, createTime });
});

test('a write over the quota is RESOURCE_EXHAUSTED and changes nothing, while other calls work (the page “Quotas”)', async () => {
  // The harness uses one of the writes to create a key ring.
  const { client } = await openKms({ writesPerMinute: 2 });
  const name = await createKey(client, 'one');
  await expect(client.createCryptoKeyVersion({ parent: name })).rejects.toMatchObject({ code: 8 });
  expect((await client.listCryptoKeyVersions({ parent: name }))[0]).toHaveLength(1);
  await client.encrypt({ name, plaintext });
});

type Opened = Awaited<ReturnType<typeof open>>;
const create =
  (cryptoKey: object, cryptoKeyId = 'new') =>
  ({ client }: Opened) =>
    client.createCryptoKey({ parent: RING, cryptoKeyId, cryptoKey });
const symmetric = { purpose: 'ENCRYPT_DECRYPT' };
const signing = (algorithm: string) => ({ purpose: 'ASYMMETRIC_SIGN', versionTemplate: { algorithm } });
const waiting = (seconds: number) => ({ ...symmetric, destroyScheduledDuration: { seconds } });
const decryptWith = (name: string, { client }: Opened) => client.decrypt({ name, ciphertext: plaintext });
const update =
  (state: 'DISABLED' | 'DESTROYED', ...paths: string[]) =>
  ({ client, version: name }: Opened) =>
    client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state }, updateMask: { paths } });

/** Requests that are refused, by the status (google.rpc.Code) that Cloud KMS gives them. */
const REFUSED: Partial<Record<keyof typeof CODE, Record<string, (kms: Opened) => Promise<unknown>>>> = {
  alreadyExists: {
    'an existing key ring': ({ client }) => client.createKeyRing({ parent: LOCATION, keyRingId: 'ring' }),
    'an existing key': create(symmetric, 'k'),
  },
  invalidArgument: {
    'a key without a purpose': create({}),
    'an id with a slash': create(symmetric, 'a/b'),
    'destruction after less than 24 hours': create(waiting(24 * 3600 - 1)),
    'destruction after more than 120 days': create(waiting(120 * 86_400 + 1)),
    'a signing key without an algorithm': create({ purpose: 'ASYMMETRIC_SIGN' }),
    'an algorithm of another purpose': create(signing('GOOGLE_SYMMETRIC_ENCRYPTION')),
    'a malformed name': ({ client, key }) => client.getCryptoKeyVersion({ name: versionOf(key, 0) }),
    'decryption with the name of a version': (kms) => decryptWith(kms.version, kms),
    'signing with the name of a key': ({ client, key: name }) => client.asymmetricSign({ name, data: aad }),
    'an unknown page token': ({ client }) => client.listCryptoKeys({ parent: RING, pageToken: 'x' }),
    'an update to another state': update('DESTROYED', 'state'),
    'an update of another field': update('DISABLED', 'state', 'name'),
  },
  notFound: {
    'a missing key ring': ({ client }) => client.getKeyRing({ name: `${RING}-2` }),
    'the list of a missing key ring': ({ client }) => client.listCryptoKeys({ parent: `${RING}-2` }),
    'a missing key': (kms) => decryptWith(`${RING}/cryptoKeys/none`, kms),
    'a missing version': ({ client, key }) => client.encrypt({ name: versionOf(key, 2), plaintext }),
    'the destruction of a missing version': ({ client, key }) =>
      client.destroyCryptoKeyVersion({ name: versionOf(key, 2) }),
    'a missing primary version': ({ client, key: name }) =>
      client.updateCryptoKeyPrimaryVersion({ name, cryptoKeyVersionId: '2' }),
  },
  failedPrecondition: {
    'encryption with a signing key': ({ client, signing: name }) => client.encrypt({ name, plaintext }),
    'signing with an encryption key': ({ client, version: name }) => client.asymmetricSign({ name, data: aad }),
    'the public key of an encryption key': ({ client, version: name }) => client.getPublicKey({ name }),
  },
  // These are differences from Cloud KMS, which `emulators/kms/README.md` lists.
  unimplemented: {
    'the purpose MAC': create({ purpose: 'MAC' }),
    'another signing algorithm': create(signing('EC_SIGN_P256_SHA256')),
    'a filter on another field': ({ client, key: parent }) =>
      client.listCryptoKeyVersions({ parent, filter: 'state=ENABLED AND name:k' }),
    'another RPC': ({ client }) => client.generateRandomBytes({ location: LOCATION, lengthBytes: 8 }),
  },
};

test.each(Object.entries(REFUSED))('refusals with the status %s are those of Cloud KMS', async (status, requests) => {
  const kms = await open();
  const statuses: Record<string, string | undefined> = {};
  for (const [what, send] of Object.entries(requests)) {
    const { code } = await send(kms).then(() => ({ code: 0 }), z.object({ code: z.number() }).parse);
    statuses[what] = Object.entries(CODE).find(([, value]) => value === code)?.[0];
  }
  expect(statuses).toEqual(Object.fromEntries(Object.keys(requests).map((what) => [what, status])));
});

const SERVER = new URL('../../emulators/kms/server.ts', import.meta.url).href;

const reopen = async (file: string, now = START) => {
  const server = await startKms({ port: 0, file, now: () => now });
  onTestFinished(() => server.stop());
  return connect(server.port);
};

test('every change whose request was answered survives SIGKILL', async () => {
  const file = await makeStatePath();
  const script = `import { startKms } from ${JSON.stringify(SERVER)};
    const { port } = await startKms({ port: 0, file: ${JSON.stringify(file)}, now: () => ${START} });
    process.stdout.write(String(port));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  const client = connect(Number(port));
  await client.createKeyRing({ parent: LOCATION, keyRingId: 'ring', keyRing: {} });
  const signing = await createSigningVersion(client, 'signing');
  const [publicKey] = await client.getPublicKey({ name: signing });
  const keys = await Promise.all(Array.from({ length: 20 }, (_, index) => createKey(client, `k${index}`)));
  const sealed = await Promise.all(keys.map((name) => seal(client, { name, plaintext })));
  const [destroyed] = await client.destroyCryptoKeyVersion({ name: `${keys[0]}/cryptoKeyVersions/1` });
  child.kill('SIGKILL');
  await once(child, 'exit');

  const next = await reopen(file);
  for (const [index, name] of keys.entries()) {
    const decrypted = next.decrypt({ name, ciphertext: sealed[index] ?? null });
    if (index === 0) await expect(decrypted).rejects.toThrow('DESTROY_SCHEDULED');
    else expect((await decrypted)[0].plaintext).toEqual(plaintext);
  }
  expect((await next.getCryptoKeyVersion({ name: destroyed.name ?? '' }))[0]).toEqual(destroyed);
  expect((await next.getPublicKey({ name: signing }))[0]).toEqual(publicKey);
});

test('the key material of a destroyed version is wiped from the file, even if its destruction became due while the emulator was stopped', async () => {
  const file = await makeStatePath();
  const { client, clock, server } = await openKms({ file });
  const names = [];
  for (const id of ['k', 'l']) names.push(`${await createKey(client, id)}/cryptoKeyVersions/1`);
  await client.destroyCryptoKeyVersion({ name: names[0] ?? '' });
  clock.now += DAY;
  await client.getCryptoKeyVersion({ name: names[0] ?? '' });
  expect((await readFile(file, 'utf8')).match(/"key":/g)).toHaveLength(1);
  await client.destroyCryptoKeyVersion({ name: names[1] ?? '' });
  await server.stop();
  const next = await reopen(file, clock.now + DAY);
  expect(await readFile(file, 'utf8')).not.toContain('"key":');
  expect((await next.getCryptoKeyVersion({ name: names[1] ?? '' }))[0].state).toBe('DESTROYED');
});

test('only the owner of the state file can read it, and encryption and decryption do not write it', async () => {
  const file = await makeStatePath();
  const { client } = await openKms({ file });
  const name = await createKey(client, 'k');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rm(file);
  await client.decrypt({ name, ciphertext: await seal(client, { name, plaintext }) });
  await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('while the state file cannot be written, changes succeed, the emulator reports it once, and the next call saves them', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const file = await makeStatePath();
  const { client } = await openKms({ file });
  await rm(dirname(file), { recursive: true });
  await writeFile(dirname(file), 'in the way');
  const name = await createKey(client, 'k');
  await createKey(client, 'l');
  expect(written.mock.calls).toEqual([[expect.stringContaining(`Nothing can be saved to ${file} (EEXIST`)]]);
  await rm(dirname(file));
  await client.getCryptoKey({ name });
  expect(await readFile(file, 'utf8')).toContain(`${RING}/cryptoKeys/l`);
});

test('if the file is not a state file, the start fails and the file is not changed', async () => {
  const file = await makeStatePath();
  await mkdir(dirname(file));
  for (const text of ['', '{}', '{"keyRings":[],"cryptoKeys":[{}]}']) {
    await writeFile(file, text);
    await expect(startKms({ port: 0, file, now: Date.now })).rejects.toThrow('is not a state file');
    expect(await readFile(file, 'utf8')).toBe(text);
  }
});
