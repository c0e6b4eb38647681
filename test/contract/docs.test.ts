import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { randomBase64 } from '../support/operations.ts';
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

/** For each language of docs/clients.md: the file, the command that runs it, and one that finds the tools. */
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

const migration = pageOf('docs/migrate.md');

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the code block of docs/migrate.md that begins with a comment, or the command `:`, `migrate: <name>`. */
function recipe(name: string): string {
  const [, source = 'false'] =
    new RegExp(`^\`\`\`\\w+\\n(?:#|//|:) migrate: ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(migration) ?? [];
  return source;
}

/** Runs a shell recipe of docs/migrate.md, then the shell lines in `more`. Returns what they print. */
async function run(name: string, more: string, env: Env): Promise<string> {
  const script = `${recipe(name)}\n${more}`;
  const { stdout } = await exec('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

const hasTools = spawnSync('jq --version && curl --version', { shell: true }).status === 0;

const engine = '/v1/transit';

/** Makes the tenants of an old and a new Transit engine, and encrypts the words with the old one. */
async function makeEngines(words: readonly string[]) {
  const [{ api: before }, { api: after }] = [await makeTenant(stack), await makeTenant(stack)];
  await before.send('POST', `${engine}/keys/orders`);
  const old: string[] = [];
  for (const word of words) {
    const plaintext = Buffer.from(word).toString('base64');
    const { body } = await before.send('POST', `${engine}/encrypt/orders`, { plaintext });
    old.push(Object(Object(body).data).ciphertext);
  }
  const { baseUrl } = stack;
  const env = { OLD_ADDR: baseUrl, OLD_TOKEN: before.token, VAULT_ADDR: baseUrl, VAULT_TOKEN: after.token };
  return { before, after, old, env };
}

describe.skipIf(!hasTools)('the Transit recipe in docs/migrate.md', () => {
  test('the recipe re-encrypts values from another Transit engine and keeps their order', async () => {
    const { after, old, env } = await makeEngines(['one', 'two', 'three']);
    const printed = await run('transit', `reencrypt <<< '${old.join('\n')}'`, env);
    const moved = printed.trimEnd().split('\n');
    expect(moved).toHaveLength(old.length);
    for (const [at, word] of ['one', 'two', 'three'].entries()) {
      const ciphertext = moved[at]?.replace('esk:', '');
      const answer = await after.send('POST', `${engine}/decrypt/orders`, { ciphertext });
      expect(answer.body).toMatchObject({ data: { plaintext: Buffer.from(word).toString('base64') } });
    }
  });

  /** Expects that the recipe fails, prints nothing, and that the error output names the cause. */
  async function expectRefusal(values: readonly string[], env: Env, cause: RegExp): Promise<void> {
    const failing = run('transit', `reencrypt <<< '${values.join('\n')}'`, env);
    await expect(failing).rejects.toMatchObject({
      code: expect.any(Number),
      stdout: '',
      stderr: expect.stringMatching(cause),
    });
  }

  test('if one value is damaged, the recipe fails and prints no values', async () => {
    const { old, env } = await makeEngines(['one', 'two']);
    const [first = '', second = ''] = old;
    await expectRefusal([first, `${second.slice(0, -8)}AAAAAAA=`], env, /invalid_ciphertext/);
  });

  test('if the old engine refuses the token, the recipe fails and prints no values', async () => {
    const { old, env } = await makeEngines(['one']);
    await expectRefusal(old, { ...env, OLD_TOKEN: 'wrong' }, /403/);
  });

  test.each([
    ['refuses the token', 403, { errors: ['unauthorized: invalid token'] }, /403/],
    ['rate-limits every value', 400, { data: { batch_results: [{ error: 'rate_limited: …' }] } }, /rate_limited/],
    [
      'rate-limits one value',
      200,
      { data: { batch_results: [{ ciphertext: 'vault:v1:AQ==' }, { error: 'rate_limited: …' }] } },
      /rate_limited/,
    ],
    ['returns no result', 200, { data: { batch_results: [] } }, /^$/],
  ])('if the service %s, the recipe fails and prints no values', async (_, status, body, cause) => {
    const { old, env } = await makeEngines(['one', 'two']);
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(request.url?.includes('/encrypt/') ? status : 200).end(JSON.stringify(body));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = Object(server.address());
    await expectRefusal(old, { ...env, VAULT_ADDR: `http://127.0.0.1:${port}` }, cause);
  });
});

test('the Vault program in docs/migrate.md reads values of the old and the new Transit engine', async () => {
  const { after, old, env } = await makeEngines(['before']);
  await after.send('POST', `${engine}/keys/orders`);
  const { body } = await after.send('POST', `${engine}/encrypt/orders`, { plaintext: 'YWZ0ZXI=' });
  const stored = [...old, `esk:${Object(Object(body).data).ciphertext}`];
  const client = (endpoint: string, token = '') => `vault(${JSON.stringify({ endpoint, token })});`;
  const printed = await runProgram([
    `import vault from ${JSON.stringify(import.meta.resolve('node-vault'))};`,
    `const service = ${client(env.VAULT_ADDR, env.VAULT_TOKEN)}`,
    `const oldVault = ${client(env.OLD_ADDR, env.OLD_TOKEN)}`,
    recipe('read both from Vault'),
    `for (const one of ${JSON.stringify(stored)}) console.log(Buffer.from(await read(one), 'base64').toString());`,
  ]);
  expect(printed).toBe('before\nafter\n');
});

test.skipIf(!hasTools)(
  'the data key recipe in docs/migrate.md wraps an existing data key, and unwraps it when the application starts',
  async () => {
    const tenant = await makeTenant(stack);
    const dek = randomBase64(32);
    const env = { BASE: stack.baseUrl, API_KEY: tenant.api.token, KEY_ID: await tenant.createKey('free') };
    expect(await run('own key', '', { ...env, OLD_KEY_BASE64: dek })).toBe(`${dek}\n`);
  },
);

async function runProgram(lines: readonly string[]): Promise<string> {
  const folder = temporaryFolder('migrate');
  writeFileSync(join(folder, 'program.mts'), lines.join('\n'));
  const { stdout } = await exec(process.execPath, [join(folder, 'program.mts')]);
  return stdout;
}

/** Runs the recipe `read both` of docs/migrate.md, then the lines in `more`, with a new key. */
async function runReadBoth(more: readonly string[]) {
  const tenant = await makeTenant(stack);
  const keyId = await tenant.createKey('free');
  const printed = await runProgram([
    `import { EncryptionService } from ${JSON.stringify(join(ROOT, 'client/src/index.ts'))};`,
    `const service = new EncryptionService(${JSON.stringify({ url: stack.baseUrl, apiKey: tenant.api.token })});`,
    `const keyId = ${JSON.stringify(keyId)};`,
    "const decryptOld = (stored: string) => Buffer.from(stored.replace('old:', ''));",
    "const context = Buffer.from('orders.card');",
    recipe('read both'),
    ...more,
  ]);
  const { body } = await tenant.api.send('GET', `/v1/keys/${keyId}/audit`);
  return { printed, events: body };
}

test('the program in docs/migrate.md reads values in the old and the new format, and writes only the new format', async () => {
  const { printed, events } = await runReadBoth([
    "const written = await write(await read('old:4111', context), context);",
    "process.stdout.write(written.slice(0, 4) + ' ' + Buffer.from(await read(written, context)));",
  ]);
  expect(printed).toBe('esk: 4111');
  expect(events).toMatchObject([{ operation: 'decrypt' }, { operation: 'encrypt' }, { operation: 'create_key' }]);
});

test('the loop in docs/migrate.md re-encrypts every old value, and keeps a change that the application makes meanwhile', async () => {
  const { printed, events } = await runReadBoth([
    "import { DatabaseSync } from 'node:sqlite';",
    "const database = new DatabaseSync(':memory:');",
    "database.exec('CREATE TABLE orders (id INTEGER, card TEXT)');",
    `database.exec("INSERT INTO orders VALUES (1, 'old:one'), (2, 'old:two'), (3, NULL), (4, 'esk:done')");`,
    'let isChanged = false;',
    'async function sql(parts: TemplateStringsArray, ...values: (string | number)[]): Promise<any[]> {',
    "  if (parts[0]?.startsWith('UPDATE') && !isChanged) {",
    '    isChanged = true;',
    `    database.exec("UPDATE orders SET card = 'old:new' WHERE id = 1");`,
    '  }',
    "  return database.prepare(parts.join('?')).all(...values);",
    '}',
    recipe('re-encrypt'),
    'for (const { card } of await sql`SELECT card FROM orders WHERE id < 3 ORDER BY id`)',
    '  console.log(Buffer.from(await read(card, context)).toString());',
    "console.log(Object.values(database.prepare('SELECT card FROM orders WHERE id = 4').get()));",
  ]);
  expect(printed).toBe("new\ntwo\n[ 'esk:done' ]\n");
  const encryptions = Object(events).filter(({ operation }: { operation: string }) => operation === 'encrypt');
  expect(encryptions).toHaveLength(3);
});

test('the checks in docs/migrate.md accept a complete value, but not an old value or a mark without a ciphertext', () => {
  const patterns = [...migration.matchAll(/'(esk:[^']*%)'/g)].map(([, pattern = '']) => pattern);
  expect(new Set(patterns)).toEqual(new Set(['esk:vault:v%', 'esk:_%']));
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const statement = database.prepare('SELECT count(*) AS remaining FROM json_each(?) WHERE value NOT LIKE ?');
  const left = (value: string, pattern: string) => statement.get(JSON.stringify([value]), pattern)?.remaining;
  for (const pattern of patterns) {
    expect(left('esk:vault:v1:AQ==', pattern)).toBe(0);
    expect([left('esk:', pattern), left('vault:v1:AQ==', pattern)]).toEqual([1, 1]);
  }
});
