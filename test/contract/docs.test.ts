import { execFile, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { isInstalled } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = inject('stack');
const exec = promisify(execFile);
const pageOf = (name: string) => readFileSync(join(ROOT, name), 'utf8');
/** Returns the lines of the shell blocks in a text, with the addresses of the test's stack. */
const shellLines = (text: string) =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.trimEnd().split('\n'))
    .map((line) =>
      line.replace('http://127.0.0.1:8080', stack.baseUrl).replace('http://127.0.0.1:8089', stack.controlUrl),
    );

/**
 * Maps a language in docs/clients.md to the name of the program's file, the command that runs the file, and a command
 * that succeeds if the language's tools are installed.
 */
const RUNNERS: Readonly<Record<string, { readonly file: string; readonly run: string; readonly found: string }>> = {
  sh: { file: 'client.sh', run: 'bash -euo pipefail', found: 'curl --version' },
  python: { file: 'client.py', run: '/usr/bin/python3', found: '/usr/bin/python3 --version' },
  go: { file: 'client.go', run: 'go run', found: 'go version' },
  java: { file: 'Client.java', run: 'java', found: 'java --version' },
};

const programs = [...pageOf('docs/clients.md').matchAll(/^```(\w+)\n((?:#|\/\/|:) clients: (\w+)\n.*?)^```$/gms)].map(
  ([, language = '', source = '', name = '']) => ({ language, source, name }),
);

test('docs/clients.md has one program each for curl, Python, Go and Java', () => {
  expect(programs.map(({ name }) => name)).toEqual(['curl', 'python', 'go', 'java']);
});

test.for(programs)(
  'the $name program in docs/clients.md encrypts, decrypts, and recognizes a refused request by its error code',
  async ({ language, source }, { skip }) => {
    const { file, run, found } = RUNNERS[language] ?? expect.unreachable();
    skip(spawnSync(found, { shell: true }).status !== 0, `no tools for ${language}`);
    const tenant = await makeTenant(stack);
    const folder = temporaryFolder('clients');
    writeFileSync(join(folder, file), source);
    // A password for the service's host, which HTTP clients can find. The program must send the API key anyway.
    writeFileSync(join(folder, '.netrc'), 'machine 127.0.0.1 login a password b\n', { mode: 0o600 });
    const key = { API_KEY: tenant.api.token, KEY_ID: await tenant.createKey('free') };
    const env = { ...process.env, HOME: folder, BASE: stack.baseUrl, ...key, GOCACHE: join(folder, 'cache') };
    const { stdout } = await exec('bash', ['-c', `${run} ${file}`], { cwd: folder, env });
    expect(stdout.trimEnd().split('\n')).toEqual(['Hello', 'invalid_ciphertext']);
  },
);

/** A line that does nothing in any shell, and shows part of the answer to the line above it. */
const ANSWER = /^: '(.*)'$/;
const MARK = '#answered#';

/** Pastes lines into an interactive shell without settings, in the checkout. Returns its output. */
async function paste(shell: readonly string[], lines: readonly string[]): Promise<string> {
  const [program = '', ...args] = shell;
  const env = { ...process.env, HOME: temporaryFolder('pasted'), HISTFILE: '' };
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(`${lines.join('\n')}\n`);
  return text(child.stdout);
}

/** The options keep the user's own settings out. */
const SHELLS = [['bash', '--norc', '--noprofile', '-i'], ['zsh', '-f', '-i'], ['sh']].filter(
  ([program = '']) => process.env.CI !== undefined || isInstalled(program),
);

test.each(SHELLS)(
  'pasted into %s, the lines under “Try it” in the README print what the page shows',
  async (...shell) => {
    const [part = ''] = /^## Try it$.*?^## /ms.exec(pageOf('README.md')) ?? [];
    const lines = shellLines(part);
    const shown = lines.flatMap((line) => ANSWER.exec(line)?.[1] ?? []);
    const pasted = lines.flatMap((line) => (ANSWER.test(line) ? [line, `echo '${MARK}'`] : line));
    const answers = (await paste(shell, pasted)).split(MARK);
    expect(shown).toHaveLength(3);
    for (const [at, expected] of shown.entries()) expect(answers[at]).toContain(expected);
    expect(lines.filter((line) => !ANSWER.test(line))).toHaveLength(5);
  },
);

const columns = pageOf('docs/columns.md');

/** Returns a program whose imports of the package are those of the sources. */
function fromSources(program: string): string {
  return program.replace(/'encryption-service-client(?:\/(\w+))?'/g, (_, entry: string | undefined) => {
    return `'${pathToFileURL(join(ROOT, 'client/src', entry ?? '', 'index.ts'))}'`;
  });
}

/** Adds rows for several pages of the loop. */
const MORE_ROWS = `
for (let n = 0; n < 250; n++) insert.run(await patients.encryptRow({ ...ada, id: randomUUID(), email: n + '@example.org' }));
`;

/** Prepares what another process writes while the loop runs, and an update that kills the loop. */
const KILL = `
const { id: changed } = db.prepare('select id from patients order by id limit 1 offset 50').get();
const meanwhile = await patients.encryptRow({ diagnosis: 'changed meanwhile' }, { id: changed });
let runs = 0;
const killed = {
  run(row) {
    if (runs === 0) db.prepare('update patients set diagnosis = ? where id = ?').run(meanwhile.diagnosis, changed);
    if (runs++ === 130) throw new Error('killed');
    return replace.run(row);
  },
};
`;

/** Rotates until the first version is retired: what the guide had left under it could not be decrypted. */
const RETIRE = `
for (const _ of [1, 2]) await service.rotateKey(key.id);
const later = encryptedFields(service, { ...options, indexKey: renewedIndexKey });
const all = await later.decryptRows(db.prepare('select * from patients').all());
console.log(all.length, all.every((row) => row.email.includes('@')), all.find((row) => row.id === changed).diagnosis);
`;

/** Puts a run of the guide's loop over all rows, which is killed in the middle, before the loop itself. */
function afterKill(rotation: string): string {
  const at = rotation.indexOf('let cursor');
  const [prepared, loop] = [rotation.slice(0, at), rotation.slice(at)];
  const first = loop.slice(0, loop.indexOf('\n}\n') + 3).replace('replace.run', 'killed.run');
  return `${MORE_ROWS}${prepared}${KILL}try {\n${first}} catch ({ message }) {\n  console.log(message);\n}\n${loop}`;
}

test('the code of docs/columns.md prints what it promises, also if its rotation is killed and repeated, which overwrites no concurrent change', async () => {
  const blocks = [...columns.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const imports = blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []);
  const body = blocks
    .map((block) => block.replace(/^import .*$/gm, ''))
    .map((block) => (block.includes('let cursor') ? afterKill(block) : block))
    .join('\n');
  const { api } = await makeTenant(stack);
  const env = { ...process.env, BASE: stack.baseUrl, API_KEY: api.token, NODE_NO_WARNINGS: '1' };
  const program = fromSources(`${imports.join('\n')}\n${body}\n${RETIRE}`);
  const { stdout } = await exec(process.execPath, ['--input-type=module', '--eval', program], { env });
  expect(stdout).toMatch(/diagnosis: 'flu'/);
  expect(stdout.trimEnd().split('\n').slice(-6)).toEqual([
    'true',
    '2',
    'killed',
    expect.stringMatching(/^[1-9]\d* \d{4}-\d\d-\d\d$/),
    "{ id: 1, secret: 'kept' } 1",
    '252 true changed meanwhile',
  ]);
});

test('the commands of docs/columns.md set the address and the demo tenant’s API key', async () => {
  const [commands = ''] = /^```sh\n.*?^```$/ms.exec(columns) ?? [];
  const exports = shellLines(commands).filter((line) => line.startsWith('export '));
  const script = [...exports, 'echo "$BASE $API_KEY"'].join('\n');
  const { stdout } = await exec('bash', ['--norc', '-c', script]);
  const { demo } = Object(await (await fetch(stack.controlUrl)).json());
  expect(stdout.trim()).toBe(`${stack.baseUrl} ${demo.api_key}`);
});
