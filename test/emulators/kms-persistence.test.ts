import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startKms } from '../../emulators/kms/server.ts';
import {
  connect,
  createKey,
  createSigningVersion,
  DAY,
  LOCATION,
  makeStatePath,
  openKms,
  RING,
  START,
  seal,
} from './kms-harness.ts';

const plaintext = Buffer.from('attack at dawn');
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

test('a start on a port in use fails with EADDRINUSE', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  const { server } = await openKms();
  await expect(startKms({ port: server.port, now: Date.now })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
