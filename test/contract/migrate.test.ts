import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { randomBase64 } from '../support/operations.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = inject('stack');
const exec = promisify(execFile);
const migration = readFileSync(join(ROOT, 'docs/migrate.md'), 'utf8');

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the code block of docs/migrate.md that begins with the comment, or in a shell the command `:`, `migrate: <name>`. */
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
