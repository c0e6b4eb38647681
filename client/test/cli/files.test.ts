import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, renameSync } from 'node:fs';
import { chmod, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openInput } from '../../src/cli/input.ts';
import { fakeService } from '../../src/testing/index.ts';
import { ESK, esk, eskHere, expectFailure, hasTerminal, shell as shellIn, start } from '../support/esk.ts';
import { answer, type Step, scriptedServer, stepOf } from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const server = scriptedServer();
let fake: ReturnType<typeof fakeService>;

/** The fake, which also creates and revokes API keys and invitations. */
const service: Step = (response, request) => {
  if (!/api-keys|invitations/.test(request.call)) return stepOf(fake)(response, request);
  const isRemoval = request.call.startsWith('DELETE');
  answer(isRemoval ? 204 : 201, isRemoval ? undefined : { id: 'made', token: 'secret-token' })(response, request);
};

/** Linux has a device that is always full. */
const FULL = existsSync('/dev/full');
const isRoot = process.getuid?.() === 0;
const BLOCK_DEVICE = existsSync('/dev/loop0') && isRoot ? '/dev/loop0' : undefined;

const CLOSED = 'is closed, or is the null device opened for reading and writing';

beforeEach(async () => {
  fake = fakeService();
  server.play(service);
  await write('plain', 'a letter');
  await write('empty', '');
  execFileSync('mkfifo', [join(folder.path, 'fifo')]);
});

const env = () => ({ ESK_URL: server.url, ESK_API_KEY: fake.apiKey });
const run = (...args: string[]) => eskHere(args, { env: env(), cwd: folder.path });
const read = (name: string) => readFile(join(folder.path, name));
const write = (name: string, content: string | Uint8Array) => writeFile(join(folder.path, name), content);
const names = async () => (await readdir(folder.path)).filter((name) => name !== 'fifo').sort();
const shell = (line: string) => shellIn(line, { env: env(), cwd: folder.path });
const ENCRYPT = 'esk encrypt --key fake';
const opened = async (name: string) => (await run('decrypt', name)).stdout.toString();

describe('inputs', () => {
  test.each([
    ['a file', `${ENCRYPT} -o out < plain`, 'a letter'],
    ['a file that is partly read', `(read -rn 2 start; ${ENCRYPT} -o out) < plain`, 'letter'],
    ['an empty file', `${ENCRYPT} -o out < empty`, ''],
    ['a pipe', `cat plain | ${ENCRYPT} -o out`, 'a letter'],
    ['a named pipe', `cat plain > fifo & ${ENCRYPT} -o out < fifo`, 'a letter'],
    ['the null device', `${ENCRYPT} -o out < /dev/null`, ''],
    ['the file argument', `${ENCRYPT} -o out plain`, 'a letter'],
    ['a named pipe as argument', `cat plain > fifo & ${ENCRYPT} -o out fifo`, 'a letter'],
    ['the null device as argument', `${ENCRYPT} -o out /dev/null`, ''],
  ])('%s is read to its end', async (_, line, content) => {
    expect(await shell(line)).toMatchObject({ code: 0, stderr: '' });
    expect(await opened('out')).toBe(content);
  });

  test('a socket is read to its end', async () => {
    const how = { env: env(), cwd: folder.path, input: 'a letter' };
    expect(await esk(['encrypt', '--key', 'fake', '-o', 'out'], how)).toMatchObject({ code: 0 });
    expect(await opened('out')).toBe('a letter');
  });

  test.skipIf(!hasTerminal)('a terminal is read to its end (skipped if `script` is missing)', async () => {
    const command = `'${process.execPath}' '${ESK}' encrypt --key fake -o out`;
    const line = `printf 'a letter\\n\\004' | script --quiet --return --command "${command}" /dev/null`;
    expect(await shell(line)).toMatchObject({ code: 0 });
    expect(await opened('out')).toBe('a letter\n');
  });

  const refused: [string, string, string][] = [
    ['a folder', `${ENCRYPT} -o out < .`, 'standard input: is a directory'],
    ['a folder as argument', `${ENCRYPT} -o out .`, '\\.: is a directory'],
    ['a closed standard input', `${ENCRYPT} -o out <&-`, `standard input: ${CLOSED}`],
    ['the null device opened as programs do', `${ENCRYPT} -o out 0<> /dev/null`, `standard input: ${CLOSED}`],
    ['a datagram socket', `${ENCRYPT} -o out < /dev/udp/127.0.0.1/9`, 'standard input: is a socket'],
    ['a missing file', 'esk decrypt -o out nope', 'nope: no such file or directory\n$'],
  ];
  if (BLOCK_DEVICE !== undefined) {
    refused.push(
      ['a block device', `${ENCRYPT} -o out < ${BLOCK_DEVICE}`, 'standard input: is a block device'],
      ['a block device as argument', `${ENCRYPT} -o out ${BLOCK_DEVICE}`, `${BLOCK_DEVICE}: is a block device`],
    );
  }
  test.each(refused)('%s is an error, and nothing is written', async (_, line, message) => {
    expect(await shell(line)).toMatchObject({ code: 1, stderr: expect.stringMatching(`^esk: file_error: ${message}`) });
    expect(existsSync(join(folder.path, 'out'))).toBe(false);
  });

  test('a file that ends before it has yielded all its bytes is an error', async () => {
    const path = join(folder.path, 'shrinking');
    await writeFile(path, new Uint8Array(600_000));
    const { stream } = await openInput(path);
    await truncate(path, 262_144);
    await expect(text(stream)).rejects.toMatchObject({
      code: 'file_error',
      message: `${path}: ended after 262144 of 600000 bytes; it changed while it was read`,
    });
  });
});

describe('outputs', () => {
  test.each([
    ['a file', `${ENCRYPT} plain > out`],
    ['a pipe', `${ENCRYPT} plain | cat > out`],
    ['a named pipe', `cat fifo > out & ${ENCRYPT} plain > fifo; code=$?; wait; exit $code`],
    ['a named pipe with -o', `cat fifo > out & ${ENCRYPT} -o fifo plain; code=$?; wait; exit $code`],
    ['a file that is appended to', `${ENCRYPT} plain >> out`],
  ])('%s gets the whole output', async (_, line) => {
    expect(await shell(line)).toMatchObject({ code: 0, stderr: '' });
    expect(await opened('out')).toBe('a letter');
  });

  test('the null device gets the whole output, also if a program opens it for reading and writing', async () => {
    const line = `${ENCRYPT} plain > /dev/null && ${ENCRYPT} -o out plain && esk decrypt out 1<> /dev/null`;
    expect(await shell(line)).toMatchObject({ code: 0, stderr: '' });
  });

  const refused: [string, string, string][] = [
    ['a file that is only open for reading', `${ENCRYPT} plain 1< empty`, 'standard output: bad file descriptor'],
    ['a datagram socket', `${ENCRYPT} plain > /dev/udp/127.0.0.1/9`, 'standard output: is a socket'],
    ['a folder with -o', `${ENCRYPT} -o . plain`, '\\.: illegal operation on a directory'],
    ['a missing folder with -o', `${ENCRYPT} -o no/out plain`, 'no/out: no such file or directory'],
  ];
  if (FULL) {
    refused.push(
      ['a full device', `${ENCRYPT} plain > /dev/full`, 'standard output: no space left on device'],
      ['a full device with -o', `${ENCRYPT} -o /dev/full plain`, '/dev/full: no space left on device'],
      ['a full device for a list', 'esk keys get fake > /dev/full', 'standard output: no'],
      ['a full device for the version', 'esk --version > /dev/full', 'standard output: no space left on device'],
      ['a full device for the help', 'esk help keys > /dev/full', 'standard output: no space left on device'],
    );
  }
  test.each(refused)('%s is an error', async (_, line, message) => {
    expect(await shell(line)).toMatchObject({ code: 1, stderr: expect.stringMatching(`^esk: file_error: ${message}`) });
  });

  test('a file that has room for only a part of the output is an error', async () => {
    // The limit is a block of 1,024 bytes. Without the trap, its signal would end the program.
    const line = `head -c 3000 /dev/zero > big; trap '' XFSZ; ulimit -f 1; ${ENCRYPT} big > out`;
    expect(await shell(line)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching('^esk: file_error: standard output: '),
    });
  });

  test('a line that does not fit on the disk is removed, so that the next run does not append to a part of it', async () => {
    const line = "head -c 1000 /dev/zero > out; trap '' XFSZ; ulimit -f 1; esk keys list --json >> out";
    expect(await shell(line)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^esk: file_error: /) });
    expect((await stat(join(folder.path, 'out'))).size).toBe(1000);
  });

  test.skipIf(!FULL).each(['esk api-keys create new', 'esk members invite --role admin'])(
    'if the token cannot be printed, %s revokes what it created (skipped without /dev/full)',
    async (command) => {
      expect(await shell(`${command} > /dev/full`)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^(?!.*secret-token).*made was revoked/),
      });
      expect(server.requests.map(({ call }) => call.split(' ')[0])).toEqual(['POST', 'DELETE']);
    },
  );

  test.each(['esk api-keys create new', 'esk members invite --role admin', 'esk audit follow --state state --once'])(
    'if standard output is closed, %s sends nothing',
    async (command) => {
      expect(await shell(`${command} >&-`)).toMatchObject({ code: 1 });
      expect(server.requests).toEqual([]);
    },
  );

  test.skipIf(!FULL)(
    'if a new key cannot be printed, esk says that it was created (skipped without /dev/full)',
    async () => {
      expect(await shell('esk keys create new --tier free > /dev/full')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching('; the change was made\n$'),
      });
    },
  );

  test('a closed or full standard error does not change the result', async () => {
    for (const errors of ['2>&-', ...(FULL ? ['2>/dev/full'] : [])]) {
      expect(await shell(`esk api-keys create new > token ${errors}`)).toMatchObject({ code: 0 });
      expect((await read('token')).toString()).toBe('secret-token\n');
      expect(await shell(`esk keys get ${errors}`)).toMatchObject({ code: 2 });
    }
  });

  test.skipIf(BLOCK_DEVICE === undefined)(
    'if standard output is a block device, nothing is sent (skipped without a block device)',
    async () => {
      // The device is only opened for reading, so that a fault cannot overwrite it.
      expect(await shell(`esk keys create new --tier free 1< ${BLOCK_DEVICE}`)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is a block device'),
      });
      expect(server.requests).toEqual([]);
    },
  );
});

describe('files', () => {
  const CHUNK = 65_536;
  const encrypt = async (name: string, ...more: string[]) => {
    expect(await run('encrypt', '--key', 'fake', '-o', name, ...more)).toMatchObject({ code: 0, stderr: '' });
    return read(name);
  };

  test('an upper-case key ID, a context that is not ASCII, and armor are accepted', async () => {
    const how = ['--key', fake.keyId.toUpperCase(), '--context', 'pöst', '--armor'];
    expect((await encrypt('out', ...how, 'plain')).toString()).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    expect(await run('decrypt', '--context', 'pöst', 'out')).toMatchObject({
      code: 0,
      stdout: Buffer.from('a letter'),
    });
    expect(await names()).toEqual(['empty', 'out', 'plain']);
  });

  test('esk encrypt writes its output into a device file and into the target of a symbolic link, whose mode stays', async () => {
    await write('elsewhere', 'old');
    await chmod(join(folder.path, 'elsewhere'), 0o640);
    await symlink('elsewhere', join(folder.path, 'link'));
    expect(await run('encrypt', '--key', 'fake', '-o', '/dev/null', 'plain')).toMatchObject({ code: 0, stderr: '' });
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
    await encrypt('link', 'plain');
    expect(await opened('elsewhere')).toBe('a letter');
    expect((await stat(join(folder.path, 'elsewhere'))).mode & 0o777).toBe(0o640);
  });

  test('if a file is altered in the middle, esk decrypt writes the intact start to a pipe, but writes no output file', async () => {
    const plain = randomBytes(3 * CHUNK);
    await write('plain', plain);
    const damaged = await encrypt('damaged', 'plain');
    damaged.fill(0, damaged.length - CHUNK - 100, damaged.length - CHUNK);
    await write('damaged', damaged);
    await write('old', 'old');
    const piped = await run('decrypt', 'damaged');
    expect(piped).toMatchObject({ code: 1, stderr: expect.stringMatching(/^esk: payload_altered: .+\n$/) });
    expect(piped.stdout.equals(plain.subarray(0, CHUNK))).toBe(true);
    for (const out of ['new', 'old'])
      expectFailure(await run('decrypt', '-o', out, 'damaged'), 1, /^esk: payload_altered: /);
    expect(await names()).toEqual(['damaged', 'empty', 'old', 'plain']);
    expect((await read('old')).toString()).toBe('old');
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    'if %s kills esk encrypt, the output file is unchanged or missing, but not partly written',
    async (signal) => {
      await write('old', 'old');
      const before = await names();
      const left = async () => (await names()).filter((name) => !before.includes(name));
      for (const out of ['old', 'new']) {
        const { child, ended } = start(['encrypt', '--key', 'fake', '-o', out], { env: env(), cwd: folder.path });
        const partsBefore = (await left()).length;
        child.stdin.write(randomBytes(4 * CHUNK));
        // The temporary file shows that the program has started to write.
        while ((await left()).length === partsBefore) await pause(1);
        child.kill(signal);
        expect(await ended).toMatchObject({ code: null, signal });
      }
      expect((await read('old')).toString()).toBe('old');
      expect((await left()).filter((name) => signal !== 'SIGKILL' || !name.endsWith('.part'))).toEqual([]);
    },
  );

  test('esk encrypt reports closed_pipe if its output is closed', async () => {
    const { child, ended } = start(['encrypt', '--key', 'fake'], { env: env() });
    child.stdin.write(randomBytes(CHUNK));
    child.stdout.once('data', () => child.stdout.destroy());
    const feed = setInterval(() => child.stdin.write(randomBytes(CHUNK)), 5);
    onTestFinished(() => clearInterval(feed));
    const { code, stderr } = await ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^esk: closed_pipe: .+\n$/) });
  });

  test('esk rewrap rewraps files in place for the new version, and keeps their contents, armor and modes', async () => {
    const before = await encrypt('one', '--context', 'shop', 'plain');
    const armored = await encrypt('two', '--context', 'shop', '--armor', 'plain');
    await chmod(join(folder.path, 'one'), 0o600);
    await run('keys', 'rotate', 'fake');
    expect(await run('rewrap', '--context', 'shop', 'one', 'two')).toMatchObject({ code: 0, stderr: '' });
    // The key keeps three versions.
    for (const _ of [1, 2]) await run('keys', 'rotate', 'fake');
    for (const name of ['one', 'two'])
      expect((await run('decrypt', '--context', 'shop', name)).stdout.toString()).toBe('a letter');
    expect((await read('one')).subarray(-20)).toEqual(before.subarray(-20));
    expect((await read('two')).toString()).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n/);
    expect((await stat(join(folder.path, 'one'))).mode & 0o777).toBe(0o600);
    await write('two', armored);
    expectFailure(await run('decrypt', '--context', 'shop', 'two'), 3, /^esk: invalid_ciphertext: /);
  });

  test('esk rewrap reports each file that it cannot rewrap, leaves the file unchanged and rewraps the other files', async () => {
    const sealed = await encrypt('good', 'plain');
    const foreign = await encrypt('foreign', '--context', 'another', 'plain');
    expect(await run('rewrap', 'plain', 'good', 'foreign', 'missing')).toMatchObject({
      ...{ code: 1, stdout: Buffer.alloc(0) },
      stderr: expect.stringMatching(
        /^esk: invalid_header: plain: (?!.*\(request ).+\nesk: invalid_ciphertext: foreign: .+ \(request [0-9a-f-]{36}\)\nesk: file_error: missing: no such file or directory\n$/,
      ),
    });
    expect(await Promise.all(['plain', 'foreign'].map(read))).toEqual([Buffer.from('a letter'), foreign]);
    expect((await read('good')).equals(sealed)).toBe(false);
    expect(await opened('good')).toBe('a letter');
    expect(await names()).toEqual(['empty', 'foreign', 'good', 'plain']);
  });

  test.each<[string, (path: string) => void]>([
    ['writes to', (path) => appendFileSync(path, 'more')],
    [
      'replaces',
      (path) => {
        copyFileSync(path, `${path}.new`);
        renameSync(`${path}.new`, path);
      },
    ],
  ])('if another program %s a file while esk rewraps it, esk keeps that program’s work', async (_, change) => {
    const sealed = await encrypt('file', 'plain');
    server.play((response, request) => {
      if (request.call.endsWith('/rewrap')) change(join(folder.path, 'file'));
      service(response, request);
    });
    expectFailure(await run('rewrap', 'file'), 1, /^esk: file_error: file: changed while it was rewrapped/);
    expect((await read('file')).subarray(0, sealed.length).equals(sealed)).toBe(true);
    expect(await names()).toEqual(['empty', 'file', 'plain']);
  });

  test('if an error affects every file, esk rewrap reports the error only once', async () => {
    for (const name of ['one', 'two']) await encrypt(name, 'plain');
    const wrong = { env: { ...env(), ESK_API_KEY: 'esk_wrong' }, cwd: folder.path };
    expectFailure(await eskHere(['rewrap', 'one', 'two'], wrong), 4, /^esk: unauthorized: one: /);
  });
});
