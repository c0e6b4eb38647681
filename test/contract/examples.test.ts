import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { text } from '../support/client.ts';
import { makeTenant, type Tenant } from '../support/tenant.ts';

const stack = inject('stack');
const examples = join(import.meta.dirname, '../../examples');
const NODE = { name: 'examples/envelope.mjs', command: [process.execPath, join(examples, 'envelope.mjs')] };
const SHELL = {
  name: 'examples/envelope.sh (skipped where gpg or curl is missing)',
  command: [join(examples, 'envelope.sh')],
};
const hasPrograms = ['gpg', 'curl'].every((name) => findProgram(name) !== undefined);

let tenant: Tenant;
let keyId: string;
/** Where the examples run, made anew for each test. */
let dir: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  tenant = await makeTenant(stack);
  keyId = await tenant.createKey('software');
});
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'examples-'));
  const { PATH } = process.env;
  environment = { PATH, TMPDIR: dir, BASE_URL: stack.baseUrl, API_KEY: tenant.api.token, KEY_ID: keyId };
});
afterEach(() => rm(dir, { recursive: true }));

function findProgram(name: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs an example in the test's folder; resolves to its exit code and what it said on standard error. */
function run(
  { command: [program = '', ...first] }: typeof NODE,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: unknown; said: string }> {
  return new Promise((resolve) => {
    execFile(program, [...first, ...args], { cwd: dir, env: { ...environment, ...env } }, (error, _stdout, said) =>
      resolve({ code: error === null ? 0 : error.code, said }),
    );
  });
}

const DONE = { code: 0, said: '' };
const read = (name: string) => readFile(join(dir, name));
const write = (name: string, content: string | Uint8Array, mode = 0o600) =>
  writeFile(join(dir, name), content, { mode });

describe.for([NODE, SHELL])('$name', (example) => {
  const runnable = test.skipIf(example === SHELL && !hasPrograms);

  runnable('decrypts the 5 MB that it encrypted, and leaves nothing else behind', async () => {
    const plain = randomBytes(5 * 1024 * 1024);
    await write('plain', plain);
    expect(await run(example, ['encrypt', 'plain', 'sealed'])).toEqual(DONE);
    expect(await run(example, ['decrypt', 'sealed', 'opened'])).toEqual(DONE);
    expect((await read('opened')).equals(plain)).toBe(true);
    expect((await read('sealed')).includes(plain.subarray(0, 64))).toBe(false);
    expect((await readdir(dir)).sort()).toEqual(['opened', 'plain', 'sealed']);
  });

  runnable('refuses a file that was changed anywhere, and writes nothing', async () => {
    await write('plain', randomBytes(4096));
    expect(await run(example, ['encrypt', 'plain', 'sealed'])).toEqual(DONE);
    const sealed = await read('sealed');
    const flipped = [0, 5, 30, 150, 200, 300, 2000, sealed.length - 1].map((at) => {
      const copy = Buffer.from(sealed);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    });
    const cut = [sealed.length - 1, 2000, 150, 5, 0].map((end) => sealed.subarray(0, end));
    for (const damaged of [...flipped, ...cut, Buffer.concat([sealed, Buffer.from('more')])]) {
      await write('damaged', damaged);
      expect((await run(example, ['decrypt', 'damaged', 'opened'])).code).toBe(1);
      expect((await readdir(dir)).sort()).toEqual(['damaged', 'plain', 'sealed']);
    }
  });

  runnable('does not open a file that was encrypted for another purpose', async () => {
    await write('plain', 'secret');
    expect(await run(example, ['encrypt', 'plain', 'sealed'], { PURPOSE: 'backup' })).toEqual(DONE);
    const other = await run(example, ['decrypt', 'sealed', 'opened'], { PURPOSE: 'export' });
    expect(other).toEqual({ code: 1, said: expect.stringContaining('invalid_ciphertext') });
    expect(await run(example, ['decrypt', 'sealed', 'opened'], { PURPOSE: 'backup' })).toEqual(DONE);
  });
});

describe(SHELL.name, () => {
  const runnable = test.skipIf(!hasPrograms);

  runnable('refuses contents that were never encrypted, which gpg by itself accepts', async () => {
    await write('plain', 'secret');
    expect(await run(SHELL, ['encrypt', 'plain', 'sealed'])).toEqual(DONE);
    const [wrapped] = (await read('sealed')).toString('latin1').split('\n');
    // A literal data packet of OpenPGP (RFC 9580 §5.9): binary, without a file name, of date 0.
    const packet = Buffer.concat([Buffer.of(0xcb, 12), Buffer.from('b\0\0\0\0\0forged')]);
    await write('forged', Buffer.concat([Buffer.from(`${wrapped}\n`), packet]));
    const forged = await run(SHELL, ['decrypt', 'forged', 'opened']);
    expect(forged).toEqual({ code: 1, said: 'the file is not encrypted with its data key\n' });
    expect((await readdir(dir)).sort()).toEqual(['forged', 'plain', 'sealed']);
  });

  runnable('puts neither the data key nor the API key on a command line', async () => {
    await mkdir(join(dir, 'bin'));
    for (const name of ['curl', 'gpg', 'sed', 'base64', 'tail', 'mktemp', 'grep']) {
      const watched = `#!/bin/sh\nprintf '%s\\n' "${name} $*" >>"$SEEN"\nexec '${findProgram(name)}' "$@"\n`;
      await write(join('bin', name), watched, 0o755);
    }
    const env = { PATH: `${join(dir, 'bin')}${delimiter}${process.env.PATH}`, SEEN: join(dir, 'seen') };
    await write('plain', 'secret');
    expect(await run(SHELL, ['encrypt', 'plain', 'sealed'], env)).toEqual(DONE);
    expect(await run(SHELL, ['decrypt', 'sealed', 'opened'], env)).toEqual(DONE);
    const [wrapped] = (await read('sealed')).toString('latin1').split('\n');
    // `file` in base64: the purpose where none is given.
    const unwrapped = await tenant.api.send('POST', `/v1/keys/${keyId}/unwrap`, { wrapped, aad: 'ZmlsZQ==' });
    const commands = (await read('seen')).toString();
    expect(commands).toMatch(/^gpg .*--decrypt/m);
    expect(commands).toMatch(/^curl .*\/unwrap/m);
    expect(commands).not.toContain(text(unwrapped, 'dek'));
    expect(commands).not.toContain(tenant.api.token);
  });
});

test('examples/envelope.sh says so where gpg is missing, and writes nothing', async () => {
  await mkdir(join(dir, 'bin'));
  await symlink(findProgram('bash') ?? '', join(dir, 'bin', 'bash'));
  await write(join('bin', 'curl'), '#!/bin/sh\n', 0o755);
  await write('plain', 'secret');
  const answer = await run(SHELL, ['encrypt', 'plain', 'sealed'], { PATH: join(dir, 'bin') });
  expect(answer.code).not.toBe(0);
  expect(answer.said).toBe('gpg is needed: apt install gpg\n');
  expect((await readdir(dir)).sort()).toEqual(['bin', 'plain']);
});

test.for([NODE, SHELL])('$name says what it needs', async (example) => {
  expect(await run(example, ['encrypt', 'plain'])).toEqual({ code: 1, said: expect.stringContaining('usage:') });
  const without = await run(example, ['encrypt', 'plain', 'sealed'], { API_KEY: '' });
  expect(without).toEqual({ code: 1, said: expect.stringContaining('API_KEY and KEY_ID must be set') });
});
