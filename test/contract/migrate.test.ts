import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { randomBase64 } from '../support/operations.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = inject('stack');
const page = readFileSync(join(ROOT, 'docs/migrate.md'), 'utf8');

/** Returns the code block of docs/migrate.md that begins with the comment `migrate: <name>`. */
function recipe(name: string): string {
  const [, source = 'false'] =
    new RegExp(`^\`\`\`\\w+\\n(?:#|//) migrate: ${name}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  return source;
}

/** Runs a shell recipe of docs/migrate.md, then the shell lines in `more`. Returns what they print. */
async function run(name: string, more: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const script = `${recipe(name)}\n${more}`;
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

const hasTools = spawnSync('jq --version && curl --version', { shell: true }).status === 0;

test.skipIf(!hasTools)(
  'the Transit recipe in docs/migrate.md re-encrypts values from another Transit engine and keeps their order',
  async () => {
    const [before, after] = [await makeTenant(stack), await makeTenant(stack)];
    const engine = '/v1/transit';
    await before.api.send('POST', `${engine}/keys/orders`);
    const plaintexts = ['one', 'two', 'three'].map((word) => Buffer.from(word).toString('base64'));
    const old: string[] = [];
    for (const plaintext of plaintexts) {
      const answer = await before.api.send('POST', `${engine}/encrypt/orders`, { plaintext });
      old.push(Object(Object(answer.body).data).ciphertext);
    }
    const printed = await run('transit', `reencrypt <<< '${old.join('\n')}'`, {
      OLD_ADDR: stack.baseUrl,
      OLD_TOKEN: before.api.token,
      VAULT_ADDR: stack.baseUrl,
      VAULT_TOKEN: after.api.token,
    });
    const moved = printed.trimEnd().split('\n');
    expect(moved).toHaveLength(old.length);
    for (const [at, value] of moved.entries()) {
      const ciphertext = value.replace('esk:', '');
      const answer = await after.api.send('POST', `${engine}/decrypt/orders`, { ciphertext });
      expect(answer.body).toMatchObject({ data: { plaintext: plaintexts[at] } });
    }
  },
);

test.skipIf(!hasTools)(
  'the data key recipe in docs/migrate.md wraps an existing data key, and unwraps it when the application starts',
  async () => {
    const tenant = await makeTenant(stack);
    const dek = randomBase64(32);
    const env = {
      ESK_URL: stack.baseUrl,
      ESK_API_KEY: tenant.api.token,
      ESK_KEY: await tenant.createKey('free'),
      OLD_KEY_BASE64: dek,
    };
    expect(await run('own key', '', env)).toBe(`${dek}\n`);
  },
);

test('the program in docs/migrate.md reads values in the old and the new format, and writes only the new format', async () => {
  const tenant = await makeTenant(stack);
  const keyId = await tenant.createKey('free');
  const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = [
    `import { EncryptionService } from ${JSON.stringify(join(ROOT, 'client/src/index.ts'))};`,
    `const service = new EncryptionService(${JSON.stringify({ url: stack.baseUrl, apiKey: tenant.api.token })});`,
    `const keyId = ${JSON.stringify(keyId)};`,
    "const decryptOld = (stored: string) => Buffer.from(stored.replace('old:', ''));",
    recipe('read both'),
    "const context = Buffer.from('orders.card');",
    "const written = await write(await read('old:4111', context), context);",
    "process.stdout.write(written.slice(0, 4) + ' ' + Buffer.from(await read(written, context)));",
  ].join('\n');
  writeFileSync(join(folder, 'program.mts'), program);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mts')]);
  expect(stdout).toBe('esk: 4111');
  const { body } = await tenant.api.send('GET', `/v1/keys/${keyId}/audit`);
  expect(body).toMatchObject([{ operation: 'decrypt' }, { operation: 'encrypt' }, { operation: 'create_key' }]);
});
