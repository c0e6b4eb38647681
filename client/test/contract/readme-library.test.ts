import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { makeTenant } from '../../../test/support/tenant.ts';

const stack = inject('stack');
const client = join(import.meta.dirname, '../..');

test('the first example of the library in the README works when pasted', async () => {
  const readme = await readFile(join(client, 'README.md'), 'utf8');
  const [, section = ''] = readme.split('\n## The library\n');
  const [own = ''] = section.split('\n### ');
  const code = [...own.matchAll(/^```js\n(.*?)^```$/gms)].map(([, lines = '']) => lines).join('');
  const { api, createKey } = await makeTenant(stack);
  const keyId = await createKey('wrapped');
  const dir = await mkdtemp(join(tmpdir(), 'first-lines-'));
  const file = join(dir, 'first-lines.mjs');
  await writeFile(file, code.replace("'encryption-service-client'", JSON.stringify(join(client, 'src/index.ts'))));
  const env = { ESK_URL: stack.baseUrl, ESK_API_KEY: api.token, KEY_ID: keyId };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
  await rm(dir, { recursive: true });
  expect(stdout).toMatch(/^\S+Z encrypt done\n\S+Z create_key done\n$/);
});
