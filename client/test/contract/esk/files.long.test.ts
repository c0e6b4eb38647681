import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { makeTenant, type Tenant } from '../../../../test/support/tenant.ts';
import { esk, expectFailure, REQUEST, type Run, start } from '../../support/esk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const stack = inject('stack');
const folder = temporaryFolder();
const CHUNK = 65_536;
let tenant: Tenant;
let keyId: string;
let env: Record<string, string>;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('software', 'files');
  env = { ESK_URL: stack.baseUrl, ESK_API_KEY: tenant.api.token ?? '' };
});

const run = (args: readonly string[], input?: Run['input']) =>
  esk(args, { env, cwd: folder.path, ...(input !== undefined && { input }) });
const read = (name: string) => readFile(join(folder.path, name));
const write = (name: string, content: string | Uint8Array) => writeFile(join(folder.path, name), content);
const names = async () => (await readdir(folder.path)).sort();

async function encrypted(plain: string | Uint8Array, ...more: string[]): Promise<Buffer> {
  const { stdout, stderr } = await run(['encrypt', '--key', 'files', ...more], plain);
  expect(stderr).toBe('');
  return stdout;
}

describe('esk encrypt and esk decrypt', () => {
  test.each([0, 3 * CHUNK + 1])('%i bytes are encrypted and decrypted through pipes', async (length) => {
    const plain = randomBytes(length);
    const sealed = await encrypted(plain);
    expect(sealed.toString('latin1')).toMatch(
      new RegExp(`^age-encryption\\.org/v1\n-> esk ${keyId}\n(?:[A-Za-z0-9+/]+\n)+--- `),
    );
    const opened = await run(['decrypt'], sealed);
    expect({ ...opened, stdout: opened.stdout.equals(plain) }).toMatchObject({ code: 0, stderr: '', stdout: true });
  });

  test('esk encrypt and esk decrypt accept files, a key id, a context and armor', async () => {
    await write('plain', 'a letter');
    const how = ['--key', keyId.toUpperCase(), '--context', 'pöst', '--armor', '-o', 'sealed'];
    expect(await run(['encrypt', ...how, 'plain'])).toMatchObject({ code: 0, stderr: '' });
    expect((await read('sealed')).toString()).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    const opened = await run(['decrypt', '--context', 'pöst', '-o', 'opened', 'sealed']);
    expect(opened).toMatchObject({ code: 0, stderr: '' });
    expect((await read('opened')).toString()).toBe('a letter');
    expect(await names()).toEqual(['opened', 'plain', 'sealed']);
  });

  test('esk encrypt writes its output into a device file and into the target of a symbolic link', async () => {
    await write('plain', 'a letter');
    await write('elsewhere', 'old');
    await chmod(join(folder.path, 'elsewhere'), 0o640);
    await symlink('elsewhere', join(folder.path, 'link'));
    expect(await run(['encrypt', '--key', keyId, '-o', '/dev/null', 'plain'])).toMatchObject({ code: 0, stderr: '' });
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
    expect(await run(['encrypt', '--key', keyId, '-o', 'link', 'plain'])).toMatchObject({ code: 0, stderr: '' });
    expect((await read('elsewhere')).toString('latin1')).toMatch(/^age-encryption/);
    expect((await stat(join(folder.path, 'elsewhere'))).mode & 0o777).toBe(0o640);
  });
});

describe('failures of esk encrypt and esk decrypt', () => {
  test('esk exits with 3 for an unknown key, and with 4 if the credential is wrong or missing', async () => {
    const unknown = await run(['encrypt', '--key', '00000000-0000-4000-8000-000000000000'], 'x');
    expectFailure(unknown, 3, new RegExp(`^esk: not_found: .+ ${REQUEST}`));
    const wrong = { ESK_URL: stack.baseUrl, ESK_API_KEY: 'esk_wrong' };
    expectFailure(
      await esk(['decrypt', '-o', 'x', '-'], { env: { ESK_URL: stack.baseUrl } }),
      4,
      /^esk: unauthorized: [^()]+\n$/,
    );
    expectFailure(
      await esk(['encrypt', '--key', keyId], { env: wrong, input: 'x' }),
      4,
      new RegExp(`^esk: unauthorized: .+ ${REQUEST}`),
    );
  });

  test.each([
    ['a missing file', ['decrypt', 'nope'], /^esk: file_error: nope: no such file or directory\n$/],
    ['a file that is not an age file', ['decrypt', 'plain'], /^esk: invalid_header: (?!.*\(request ).+\n$/],
    [
      'an output in a missing folder',
      ['encrypt', '--key', 'files', '-o', 'no/out', 'plain'],
      /^esk: file_error: no\/out: no such file or directory .+\n$/,
    ],
  ])('given %s, esk exits with 1 and leaves no output file', async (_, args, line) => {
    await write('plain', 'plain');
    expectFailure(await run(args), 1, line);
    expect(await names()).toEqual(['plain']);
  });
});

describe('an altered file', () => {
  const plain = randomBytes(3 * CHUNK);
  let sealed: Buffer;
  beforeAll(async () => {
    sealed = (await esk(['encrypt', '--key', 'files'], { env, input: plain })).stdout;
  });
  const flipped = (at: number) => {
    const copy = Buffer.from(sealed);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };

  test('if a file is altered in the middle, esk decrypt writes the intact start to a pipe, but writes no output file', async () => {
    const damaged = flipped(sealed.length - CHUNK - 100);
    await write('damaged', damaged);
    await write('old', 'old');
    const piped = await run(['decrypt', 'damaged']);
    expect(piped.code).toBe(1);
    expect(piped.stderr).toMatch(/^esk: payload_altered: .+\n$/);
    expect(piped.stdout.equals(plain.subarray(0, CHUNK))).toBe(true);
    expectFailure(await run(['decrypt', '-o', 'new', 'damaged']), 1, /^esk: payload_altered: /);
    expectFailure(await run(['decrypt', '-o', 'old', 'damaged']), 1, /^esk: payload_altered: /);
    expect(await names()).toEqual(['damaged', 'old']);
    expect((await read('old')).toString()).toBe('old');
  });
});

describe('esk encrypt, interrupted', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'if %s kills esk encrypt, the output file is unchanged or missing, but not partly written',
    async (signal) => {
      await write('out', 'old');
      for (const out of ['out', 'new']) {
        const { child, ended } = start(['encrypt', '--key', keyId, '-o', out], { env, cwd: folder.path });
        child.stdin.write(randomBytes(4 * CHUNK));
        // The temporary file shows that the program has started to write.
        while ((await names()).every((name) => !name.endsWith('.part'))) await new Promise(setImmediate);
        child.kill(signal);
        expect(await ended).toMatchObject({ code: null, signal });
      }
      expect((await read('out')).toString()).toBe('old');
      const left = (await names()).filter((name) => name !== 'out');
      if (signal === 'SIGKILL') expect(left.every((name) => name.endsWith('.part'))).toBe(true);
      else expect(left).toEqual([]);
    },
  );

  test('esk encrypt reports closed_pipe if its output is closed', async () => {
    const { child, ended } = start(['encrypt', '--key', keyId], { env });
    child.stdin.write(randomBytes(CHUNK));
    child.stdout.once('data', () => child.stdout.destroy());
    const feed = setInterval(() => child.stdin.write(randomBytes(CHUNK)), 5);
    const { code, stderr } = await ended;
    clearInterval(feed);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^esk: closed_pipe: .+\n$/) });
  });
});

describe('esk rewrap', () => {
  test('after a rotation, esk rewrap rewraps files in place under the new key version', async () => {
    const rotated = await tenant.createKey('software', 'rotated');
    await mkdir(join(folder.path, 'backups'));
    const files = ['a.age', 'b.age'].map((name) => join('backups', name));
    for (const [at, file] of files.entries()) {
      const more = at === 0 ? [] : ['--armor'];
      await run(['encrypt', '--key', 'rotated', '--context', 'shop', ...more, '-o', file], `plain ${at}`);
    }
    await chmod(join(folder.path, files[0] ?? ''), 0o600);
    const before = await Promise.all(files.map(read));
    // The key keeps three versions: after two rotations, it can still decrypt with the files' original version; after
    // four, it cannot.
    for (const again of [0, 1]) {
      expect(await run(['keys', 'rotate', rotated])).toMatchObject({ code: 0, stderr: '' });
      expect(await run(['keys', 'rotate', 'rotated'])).toMatchObject({ code: 0, stderr: '' });
      if (again === 0) {
        expect(await run(['rewrap', '--context', 'shop', ...files])).toMatchObject({ code: 0, stderr: '' });
      }
    }
    for (const [at, file] of files.entries()) {
      expect((await run(['decrypt', '--context', 'shop', file])).stdout.toString()).toBe(`plain ${at}`);
    }
    const after = await Promise.all(files.map(read));
    expect(after[0]?.subarray(-20).equals(before[0]?.subarray(-20) ?? Buffer.alloc(0))).toBe(true);
    expect(after[1]?.toString()).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    expect((await stat(join(folder.path, files[0] ?? ''))).mode & 0o777).toBe(0o600);
    await write('before', before[0] ?? '');
    expectFailure(await run(['decrypt', '--context', 'shop', 'before']), 3, /^esk: invalid_ciphertext: /);
  });

  test('esk rewrap reports each file that it cannot rewrap, leaves the file unchanged and rewraps the other files', async () => {
    const sealed = await encrypted('plain');
    await write('good', sealed);
    await write('bad', 'no age file');
    await write('foreign', await encrypted('plain', '--context', 'another'));
    const contents = await Promise.all(['bad', 'foreign'].map(read));
    const { code, stdout, stderr } = await run(['rewrap', 'bad', 'good', 'foreign', 'missing']);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^esk: invalid_header: bad: (?!.*\(request ).+$/),
      expect.stringMatching(/^esk: invalid_ciphertext: foreign: .+ \(request [0-9a-f-]{36}\)$/),
      'esk: file_error: missing: no such file or directory',
      '',
    ]);
    expect(await Promise.all(['bad', 'foreign'].map(read))).toEqual(contents);
    expect((await read('good')).equals(sealed)).toBe(false);
    expect((await run(['decrypt', 'good'])).stdout.toString()).toBe('plain');
    expect(await names()).toEqual(['bad', 'foreign', 'good']);
  });

  test('if an error affects every file, esk rewrap reports the error only once', async () => {
    await write('one', await encrypted('plain'));
    await write('two', await encrypted('plain'));
    const wrong = await esk(['rewrap', 'one', 'two'], { env: { ...env, ESK_API_KEY: 'esk_wrong' }, cwd: folder.path });
    expectFailure(wrong, 4, /^esk: unauthorized: one: /);
  });
});

describe('large files', () => {
  const GIB = 2 ** 30;
  /** Peak memory depends on the garbage collector. Measured peaks varied between 130 and 290 MiB. */
  const MEMORY_LIMIT_KIB = 2 ** 19;

  /** Makes `esk` write its peak memory in KiB to standard error when it ends. */
  const REPORT_PEAK =
    "import{writeSync}from'node:fs';process.on('exit',()=>writeSync(2,'peak '+process.resourceUsage().maxRSS))";

  /** Runs `esk` with an input, and passes its output to `read`. Returns what it writes to standard error. */
  async function piped(
    args: readonly string[],
    input: AsyncIterable<Uint8Array>,
    read: (output: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<string> {
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURI(REPORT_PEAK)}`;
    const { child, ended } = start(args, { env: { ...env, NODE_OPTIONS } });
    await Promise.all([pipeline(input, child.stdin), read(child.stdout)]);
    return (await ended).stderr;
  }

  test('esk encrypts 1 GiB with armor and decrypts it unchanged, with less than 512 MiB of memory', async () => {
    const block = randomBytes(2 ** 20);
    async function* blocks() {
      for (let sent = 0; sent < GIB; sent += block.length) yield block;
    }
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    for await (const some of blocks()) sent.update(some);

    const file = new PassThrough();
    const reports = await Promise.all([
      piped(['encrypt', '--key', keyId, '--armor'], blocks(), (output) => pipeline(output, file)),
      piped(['decrypt'], file, async (output) => {
        for await (const some of output) received.update(some);
      }),
    ]);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    for (const report of reports) {
      const [, peakKib] = /^peak (\d+)$/.exec(report) ?? [];
      expect(Number(peakKib)).toBeLessThan(MEMORY_LIMIT_KIB);
    }
  });
});
