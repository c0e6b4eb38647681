import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { isInstalled } from '../../../test/support/programs.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { hashOf, signedNodeHash } from '../../build/signed-node.ts';

const VERSION = '24.0.0';
const ARCHIVE = `node-v${VERSION}-linux-x64.tar.gz`;

describe.skipIf(!isInstalled('gpg') || !isInstalled('gpgv'))('Node’s own checksum of Node', () => {
  let folder: string;
  let keyring: string;
  let strangers: string;
  let files: Record<string, Buffer>;

  /** Makes a key pair. Returns the file with its public key, and a function that signs a file. */
  function makeSigner(name: string): { publicKey: string; sign: (file: string) => Buffer } {
    const home = join(folder, name);
    mkdirSync(home);
    chmodSync(home, 0o700);
    const gpg = (...args: string[]) =>
      execFileSync('gpg', ['--homedir', home, '--batch', '--passphrase', '', ...args], { stdio: 'pipe' });
    gpg('--quick-generate-key', `${name}@example.com`, 'ed25519', 'sign', 'never');
    const publicKey = join(folder, `${name}.gpg`);
    writeFileSync(publicKey, gpg('--export'));
    onEnd.push(() => execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'], { stdio: 'pipe' }));
    return { publicKey, sign: (file) => gpg('--detach-sign', '--output', '-', file) };
  }
  const onEnd: (() => void)[] = [];

  beforeAll(() => {
    folder = temporaryFolder('signed-node');
    const releaser = makeSigner('releaser');
    strangers = makeSigner('stranger').publicKey;
    keyring = releaser.publicKey;
    const program = join(folder, `node-v${VERSION}-linux-x64/bin/node`);
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, 'the program');
    execFileSync('tar', ['-czf', join(folder, ARCHIVE), '-C', folder, `node-v${VERSION}-linux-x64`]);
    const sums = join(folder, 'SHASUMS256.txt');
    writeFileSync(sums, `${hashOf(join(folder, ARCHIVE))}  ${ARCHIVE}\n`);
    files = {
      [ARCHIVE]: readFileSync(join(folder, ARCHIVE)),
      'SHASUMS256.txt': readFileSync(sums),
      'SHASUMS256.txt.sig': releaser.sign(sums),
    };
    for (const end of onEnd) end();
  });

  /** Starts a server with Node’s files, some of them replaced, and asks for the hash. */
  async function ask(replaced: Record<string, Buffer> = {}, trusted = keyring): Promise<string> {
    const served = { ...files, ...replaced };
    const server = createServer(({ url = '' }, response) => {
      const found = url.startsWith(`/v${VERSION}/`) ? served[basename(url)] : undefined;
      response.writeHead(found === undefined ? 404 : 200).end(found);
    });
    onTestFinished(() => void server.close());
    await listen(server, 0);
    return signedNodeHash({ url: `http://127.0.0.1:${portOf(server)}`, keyring: trusted }, VERSION, 'linux-x64');
  }

  test('the hash of the program in a signed archive is returned', async () => {
    expect(await ask()).toBe(createHash('sha256').update('the program').digest('hex'));
  });

  test('checksums that somebody else has signed are refused', async () => {
    await expect(ask({}, strangers)).rejects.toThrow('no releaser of Node has signed the checksums');
  });

  test('changed checksums are refused', async () => {
    const changed = Buffer.from(`${'0'.repeat(64)}  ${ARCHIVE}\n`);
    await expect(ask({ 'SHASUMS256.txt': changed })).rejects.toThrow('no releaser of Node has signed the checksums');
  });

  test('another archive than the signed one is refused', async () => {
    await expect(ask({ [ARCHIVE]: Buffer.from('another') })).rejects.toThrow('does not have its signed checksum');
  });
});
