import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import type { KeyManagementServiceClient } from '@google-cloud/kms';
import { test as base, expect, onTestFinished, vi } from 'vitest';
import { startKms } from '../../emulators/kms/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  CODE,
  connect,
  createKey,
  createReadyHsmKey,
  createSigningKey,
  createSigningVersion,
  DAY,
  LOCATION,
  openKms,
  RING,
  START,
  seal,
} from './kms-harness.ts';

// The behavior of Cloud KMS on which the service relies, unless the tests of the service would notice a difference. A
// source is a message or an enum in Google's API definition, `service.proto` and `resources.proto` of
// `google.cloud.kms.v1`, or a page of https://docs.cloud.google.com/kms/docs. The tests in
// `test/shared/kms` prove the answers to valid requests, and lists.

const plaintext = Buffer.from('attack at dawn');
const data = Buffer.from('tree head');
const updateMask = { paths: ['state'] };
const invalid = { code: CODE.invalidArgument };
const versionOf = (key: string, id = 1) => `${key}/cryptoKeyVersions/${id}`;

/** An emulator with an encryption key, whose version 1 is enabled, and an enabled version of a signing key. */
const open = async () => {
  const kms = await openKms();
  const key = await createKey(kms.client, 'k');
  return { ...kms, key, version: versionOf(key), signing: await createSigningVersion(kms.client, 'signing') };
};
const test = base.extend('kms', open);

test('a connection that sends nothing does not keep the emulator from stopping', async () => {
  const { port, stop } = await startKms({ port: 0, now: Date.now });
  const socket = createConnection(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stopped = stop();
  vi.advanceTimersByTime(10_000);
  await stopped;
});

test('a wrong checksum is refused (EncryptRequest, DecryptRequest, AsymmetricSignRequest)', async ({ kms }) => {
  const { client, key: name, signing } = kms;
  const ciphertext = await seal(client, { name, plaintext });
  const named = { ...invalid, message: expect.stringMatching(/crc32c/) };
  for (const wrong of [0, 1].map((value) => ({ value }))) {
    const additional = { additionalAuthenticatedData: data, additionalAuthenticatedDataCrc32c: wrong };
    await expect(client.encrypt({ name, plaintext, plaintextCrc32c: wrong })).rejects.toMatchObject(named);
    await expect(client.encrypt({ name, plaintext, ...additional })).rejects.toMatchObject(named);
    await expect(client.decrypt({ name, ciphertext, ciphertextCrc32c: wrong })).rejects.toMatchObject(named);
    await expect(client.decrypt({ name, ciphertext, ...additional })).rejects.toMatchObject(named);
    await expect(client.asymmetricSign({ name: signing, data, dataCrc32c: wrong })).rejects.toMatchObject(named);
  }
});

test('an absent checksum is not reported as verified, but the checksum 0 is (EncryptResponse)', async ({ kms }) => {
  const zero = { additionalAuthenticatedDataCrc32c: { value: 0 } };
  const [sealed] = await kms.client.encrypt({ name: kms.key, plaintext, ...zero });
  expect(sealed).toMatchObject({ verifiedPlaintextCrc32c: false, verifiedAdditionalAuthenticatedDataCrc32c: true });
  expect((await kms.client.asymmetricSign({ name: kms.signing, data }))[0].verifiedDataCrc32c).toBe(false);
});

test.each([
  { level: 'SOFTWARE', largest: [65_536, 65_536], larger: [65_537, 65_537] },
  { level: 'HSM', largest: [8_000, 192], larger: [8_001, 193] },
] as const)('a $level key encrypts at most as much as EncryptRequest states', async ({ level, largest, larger }) => {
  const { client } = await openKms();
  const name = await (level === 'HSM' ? createReadyHsmKey : createKey)(client, 'k');
  const encrypt = (bytes: number, additional: number) =>
    client.encrypt({ name, plaintext: Buffer.alloc(bytes), additionalAuthenticatedData: Buffer.alloc(additional) });
  expect((await encrypt(largest[0], largest[1]))[0].protectionLevel).toBe(level);
  await expect(encrypt(larger[0], largest[1])).rejects.toMatchObject(invalid);
  await expect(encrypt(largest[0], larger[1])).rejects.toMatchObject(invalid);
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
    // As in Cloud KMS, HSM keys and key pairs are pending at first, so that clients must poll.
    const key = signs
      ? await createSigningKey(client, state)
      : await createKey(client, state, isPending ? 'HSM' : 'SOFTWARE');
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

test('a version is destroyed after its duration, and for good (destroy_scheduled_duration)', async ({ kms }) => {
  const { client, clock, key, version: name } = kms;
  const ciphertext = await seal(client, { name: key, plaintext });
  await client.destroyCryptoKeyVersion({ name });
  clock.now += DAY - 1;
  expect((await client.restoreCryptoKeyVersion({ name }))[0]).toMatchObject({ state: 'DISABLED', destroyTime: null });
  await client.updateCryptoKeyVersion({ cryptoKeyVersion: { name, state: 'ENABLED' }, updateMask });
  clock.now += DAY;
  expect((await client.decrypt({ name: key, ciphertext }))[0].plaintext).toEqual(plaintext);
  await client.destroyCryptoKeyVersion({ name });
  for (const days of [1, -1]) {
    clock.now += days * DAY;
    expect((await client.getCryptoKeyVersion({ name }))[0].state).toBe('DESTROYED');
  }
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
  (cryptoKeyId: string, seconds?: number) =>
  ({ client }: Opened) => {
    const destroyScheduledDuration = seconds === undefined ? null : { seconds };
    const cryptoKey = { purpose: 'ENCRYPT_DECRYPT', destroyScheduledDuration } as const;
    return client.createCryptoKey({ parent: RING, cryptoKeyId, cryptoKey });
  };

test.each<[string, keyof typeof CODE, (kms: Opened) => Promise<unknown>]>([
  [
    'an existing key ring',
    'alreadyExists',
    ({ client }) => client.createKeyRing({ parent: LOCATION, keyRingId: 'ring' }),
  ],
  ['an existing key', 'alreadyExists', create('k')],
  ['an id with a slash', 'invalidArgument', create('a/b')],
  ['destruction after less than 24 hours', 'invalidArgument', create('new', 24 * 3600 - 1)],
  [
    'decryption with the name of a version',
    'invalidArgument',
    ({ client, version: name }) => client.decrypt({ name, ciphertext: plaintext }),
  ],
  [
    'signing with the name of a key',
    'invalidArgument',
    ({ client, key: name }) => client.asymmetricSign({ name, data }),
  ],
  ['a missing key ring', 'notFound', ({ client }) => client.getKeyRing({ name: `${RING}-2` })],
  [
    'a missing key',
    'notFound',
    ({ client }) => client.decrypt({ name: `${RING}/cryptoKeys/none`, ciphertext: plaintext }),
  ],
  ['a missing version', 'notFound', ({ client, key }) => client.encrypt({ name: versionOf(key, 2), plaintext })],
  [
    'encryption with a signing key',
    'failedPrecondition',
    ({ client, signing }) => client.encrypt({ name: signing, plaintext }),
  ],
])('the error for %s has the status %s of Cloud KMS', async (_, status, send) => {
  await expect(send(await open())).rejects.toMatchObject({ code: CODE[status] });
});

/** Returns a path for a state file, in a folder that does not exist yet. */
const makeStatePath = () => join(temporaryFolder('kms'), 'state', 'kms.json');
const SERVER = new URL('../../emulators/kms/server.ts', import.meta.url).href;

const reopen = async (file: string, now = START) => {
  const server = await startKms({ port: 0, file, now: () => now });
  onTestFinished(() => server.stop());
  return connect(server.port);
};

test('every change whose request was answered survives SIGKILL', async () => {
  const file = makeStatePath();
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
  const file = makeStatePath();
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
  const file = makeStatePath();
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
  const file = makeStatePath();
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
  const file = makeStatePath();
  await mkdir(dirname(file));
  for (const text of ['', '{}', '{"keyRings":[],"cryptoKeys":[{}]}']) {
    await writeFile(file, text);
    await expect(startKms({ port: 0, file, now: Date.now })).rejects.toThrow('is not a state file');
    expect(await readFile(file, 'utf8')).toBe(text);
  }
});
