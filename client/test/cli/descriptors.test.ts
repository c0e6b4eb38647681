import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { openInput } from '../../src/cli/input.ts';
import { ESK, esk, eskHere, hasTerminal, shell as shellIn } from '../support/esk.ts';
import { answer, type Step, scriptedServer } from '../support/scripted-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KEY = '00000000-0000-4000-8000-000000000001';
const folder = temporaryFolder();
const server = scriptedServer();

/** A service that "wraps" a data key by returning it. */
const service: Step = (response, request) => {
  const { dek, wrapped } = Object(request.body);
  const object = { id: KEY, name: 'new', token: 'secret-token' };
  if (request.call.endsWith('/wrap')) answer(200, { wrapped: dek })(response, request);
  else if (request.call.endsWith('/unwrap')) answer(200, { dek: wrapped })(response, request);
  else if (request.call.startsWith('DELETE')) answer(204)(response, request);
  else answer(request.call.startsWith('GET') ? 200 : 201, object)(response, request);
};

/** Linux has a device that is always full. */
const FULL = existsSync('/dev/full');
const isRoot = process.getuid?.() === 0;
const BLOCK_DEVICE = existsSync('/dev/loop0') && isRoot ? '/dev/loop0' : undefined;

const CLOSED = 'is closed, or is the null device opened for reading and writing';

beforeEach(async () => {
  server.play(service);
  await writeFile(join(folder.path, 'plain'), 'a letter');
  await writeFile(join(folder.path, 'empty'), '');
  execFileSync('mkfifo', [join(folder.path, 'fifo')]);
});

const env = () => ({ ESK_URL: server.url, ESK_API_KEY: 'esk_x' });
/** Runs a line of bash, in which `esk` is the program. */
const shell = (line: string) => shellIn(line, { env: env(), cwd: folder.path });
const ENCRYPT = `esk encrypt --key ${KEY}`;
/** Decrypts a file that a test wrote. */
const opened = async (name: string) =>
  (await eskHere(['decrypt', name], { env: env(), cwd: folder.path })).stdout.toString();

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
    expect(await esk(['encrypt', '--key', KEY, '-o', 'out'], how)).toMatchObject({ code: 0 });
    expect(await opened('out')).toBe('a letter');
  });

  test.skipIf(!hasTerminal)('a terminal is read to its end (skipped if `script` is missing)', async () => {
    const command = `'${process.execPath}' '${ESK}' encrypt --key ${KEY} -o out`;
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
  ];
  if (BLOCK_DEVICE !== undefined) {
    refused.push(
      ['a block device', `${ENCRYPT} -o out < ${BLOCK_DEVICE}`, 'standard input: is a block device'],
      ['a block device as argument', `${ENCRYPT} -o out ${BLOCK_DEVICE}`, `${BLOCK_DEVICE}: is a block device`],
    );
  }
  test.each(refused)('%s is an error, and nothing is written', async (_, line, message) => {
    const { code, stderr } = await shell(line);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(`^esk: file_error: ${message}`) });
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
  ];
  if (FULL) {
    refused.push(
      ['a full device', `${ENCRYPT} plain > /dev/full`, 'standard output: no space left on device'],
      ['a full device with -o', `${ENCRYPT} -o /dev/full plain`, '/dev/full: no space left on device'],
      ['a full device for a list', `esk keys get ${KEY} > /dev/full`, 'standard output: no'],
      ['a full device for the version', 'esk --version > /dev/full', 'standard output: no space left on device'],
      ['a full device for the help', 'esk help keys > /dev/full', 'standard output: no space left on device'],
    );
  }
  test.each(refused)('%s is an error', async (_, line, message) => {
    const { code, stderr } = await shell(line);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(`^esk: file_error: ${message}`) });
  });

  test('a file that has room for only a part of the output is an error', async () => {
    // The limit is a block of 1,024 bytes. Without the trap, its signal would end the program.
    const line = `head -c 3000 /dev/zero > big; trap '' XFSZ; ulimit -f 1; ${ENCRYPT} big > out`;
    const { code, stderr } = await shell(line);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching('^esk: file_error: standard output: ') });
  });

  test.skipIf(!FULL).each(['esk api-keys create new', 'esk members invite --role admin'])(
    'if the token cannot be printed, %s revokes what it created (skipped without /dev/full)',
    async (command) => {
      const { code, stderr } = await shell(`${command} > /dev/full`);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(`${KEY} was revoked`) });
      expect(stderr).not.toContain('secret-token');
      expect(server.requests.map(({ call }) => call.split(' ')[0])).toEqual(['POST', 'DELETE']);
    },
  );

  test.each(['esk api-keys create new', 'esk members invite --role admin'])(
    'if standard output is closed, %s creates nothing',
    async (command) => {
      expect(await shell(`${command} >&-`)).toMatchObject({ code: 1 });
      expect(server.requests).toEqual([]);
    },
  );

  test.skipIf(!FULL)(
    'if a new key cannot be printed, esk says that it was created (skipped without /dev/full)',
    async () => {
      const { code, stderr } = await shell('esk keys create new --tier free > /dev/full');
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching('; the change was made\n$') });
    },
  );

  test('a closed or full standard error does not change the result', async () => {
    for (const errors of ['2>&-', ...(FULL ? ['2>/dev/full'] : [])]) {
      expect(await shell(`esk api-keys create new > token ${errors}`)).toMatchObject({ code: 0 });
      expect(await readFile(join(folder.path, 'token'), 'utf8')).toBe('secret-token\n');
      expect(await shell(`esk keys get ${errors}`)).toMatchObject({ code: 2 });
    }
  });

  test.skipIf(BLOCK_DEVICE === undefined)(
    'if standard output is a block device, nothing is sent (skipped without a block device)',
    async () => {
      // The device is only opened for reading, so that a fault cannot overwrite it.
      const { code, stderr } = await shell(`esk keys create new --tier free 1< ${BLOCK_DEVICE}`);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('is a block device') });
      expect(server.requests).toEqual([]);
    },
  );
});
