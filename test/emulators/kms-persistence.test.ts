import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startKms } from '../../emulators/kms/server.ts';
import { CODE, connect, createKey, DAY, LOCATION, makeStatePath, openKms, RING, START, seal } from './kms-harness.ts';

const plaintext = Buffer.from('attack at dawn');
const SERVER = new URL('../../emulators/kms/server.ts', import.meta.url).href;

const reopen = async (file: string, now = START) => {
  const server = await startKms({ port: 0, file, now: () => now });
  onTestFinished(() => server.stop());
  return connect(server.port);
};

describe('the state file', () => {
  test('keys, versions and their states survive a restart', async () => {
    const file = await makeStatePath();
    const first = await openKms({ file });
    const key = await createKey(first.client, 'k');
    const ciphertext = await seal(first.client, { name: key, plaintext });
    await first.client.createCryptoKeyVersion({ parent: key, cryptoKeyVersion: {} });
    await first.client.destroyCryptoKeyVersion({ name: `${key}/cryptoKeyVersions/2` });
    const [before] = await first.client.listCryptoKeyVersions({ parent: key });
    await first.server.stop();

    const client = await reopen(file);
    expect((await client.getKeyRing({ name: RING }))[0].name).toBe(RING);
    expect((await client.listCryptoKeyVersions({ parent: key }))[0]).toEqual(before);
    expect((await client.decrypt({ name: key, ciphertext }))[0].plaintext).toEqual(plaintext);
  });

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
    const ids = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const keys = await Promise.all(ids.map((id) => createKey(client, id)));
    const sealed = await Promise.all(keys.map((name) => seal(client, { name, plaintext })));
    child.kill('SIGKILL');
    await once(child, 'exit');

    const next = await reopen(file);
    for (const [index, name] of keys.entries()) {
      const ciphertext = sealed[index] ?? null;
      expect((await next.decrypt({ name, ciphertext }))[0].plaintext).toEqual(plaintext);
    }
  });

  test('the key material of a destroyed version is wiped from the file', async () => {
    const file = await makeStatePath();
    const { client, clock } = await openKms({ file });
    const name = `${await createKey(client, 'k')}/cryptoKeyVersions/1`;
    await client.destroyCryptoKeyVersion({ name });
    expect(await readFile(file, 'utf8')).toContain('"key":');
    clock.now += DAY;
    await client.getCryptoKeyVersion({ name });
    expect(await readFile(file, 'utf8')).not.toContain('"key":');
  });

  test('a destruction that became due while the emulator was stopped happens at the next start', async () => {
    const file = await makeStatePath();
    const { client, server } = await openKms({ file });
    const name = `${await createKey(client, 'k')}/cryptoKeyVersions/1`;
    await client.destroyCryptoKeyVersion({ name });
    await server.stop();
    const next = await reopen(file, START + DAY);
    expect(await readFile(file, 'utf8')).not.toContain('"key":');
    expect((await next.getCryptoKeyVersion({ name }))[0].state).toBe('DESTROYED');
  });

  test('only the owner of the state file can read it', async () => {
    const file = await makeStatePath();
    await openKms({ file });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('encryption and decryption do not write the state file', async () => {
    const file = await makeStatePath();
    const { client } = await openKms({ file });
    const name = await createKey(client, 'k');
    await rm(file);
    const ciphertext = await seal(client, { name, plaintext });
    await client.decrypt({ name, ciphertext });
    await client.getCryptoKey({ name });
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
});

test('without a state file nothing survives a restart', async () => {
  const { client, server } = await openKms();
  const name = await createKey(client, 'k');
  await server.stop();
  const second = await openKms();
  await expect(second.client.getCryptoKey({ name })).rejects.toMatchObject({ code: CODE.notFound });
});
