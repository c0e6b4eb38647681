import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = inject('stack');
const page = readFileSync(join(ROOT, 'docs/columns.md'), 'utf8');

/** Returns a program whose imports of the package are those of the sources. */
function fromSources(program: string): string {
  return program.replace(/'encryption-service-client(?:\/(\w+))?'/g, (_, entry: string | undefined) => {
    return `'${pathToFileURL(join(ROOT, 'client/src', entry ?? '', 'index.ts'))}'`;
  });
}

/** Rotates until the first version is retired: what the guide had left under it could not be decrypted. */
const RETIRE = `
for (const _ of [1, 2]) await service.rotateKey(key.id);
const later = encryptedFields(service, { ...options, indexKey: renewedIndexKey });
const all = db.prepare('select * from patients').all();
console.log((await later.decryptRows(all)).every((row) => row.email.includes('@')));
`;

test('the code of docs/columns.md runs from top to bottom and prints what it promises', async () => {
  const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const imports = blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []);
  const body = blocks.map((block) => block.replace(/^import .*$/gm, '')).join('\n');
  const { api } = await makeTenant(stack);
  const env = { ...process.env, BASE: stack.baseUrl, API_KEY: api.token, NODE_NO_WARNINGS: '1' };
  const program = fromSources(`${imports.join('\n')}\n${body}\n${RETIRE}`);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env });
  expect(stdout).toMatch(/diagnosis: 'flu'/);
  expect(stdout.trimEnd().split('\n').slice(-5)).toEqual(['true', '2', '3', "{ id: 1, secret: 'kept' } 1", 'true']);
});
