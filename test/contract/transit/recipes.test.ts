import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { ROOT } from '../../sources.ts';
import { findPythonWithHvac } from '../../support/programs.ts';
import { makeTenant } from '../../support/tenant.ts';

const stack = inject('stack');
const run = promisify(execFile);
/** Returns the code blocks of a section of a page, with the addresses of the test's stack. */
function blocksOf(section: string, name = 'integrations'): string[] {
  const page = readFileSync(join(ROOT, `docs/${name}.md`), 'utf8');
  const [text = ''] = new RegExp(`^##+ ${section}\n.*?(?=^##+ |$(?![^]))`, 'ms').exec(page) ?? [];
  return [...text.matchAll(/^```(?:sh|js|python)\n(.*?)^```$/gms)].map(([, block = '']) =>
    block.replaceAll('http://127.0.0.1:8080', stack.baseUrl).replaceAll('http://127.0.0.1:8089', stack.controlUrl),
  );
}

test('the settings of docs/transit.md create a key and encrypt with curl', async () => {
  const [block = ''] = blocksOf('Settings', 'transit');
  // All tests share the stack's demo tenant.
  const name = randomUUID();
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', block.replaceAll('orders', name)]);
  expect(stdout).toContain(`"name":"${name}"`);
  expect(stdout).toContain('"ciphertext":"vault:v1:');
});

test.each(['node-vault', '@litehex/node-vault'])('the recipe of docs/integrations.md for %s runs', async (client) => {
  const { api } = await makeTenant(stack);
  const [block = ''] = blocksOf(client);
  expect(block).toContain(client);
  const program = `const token = '${api.token}';\n${block}`;
  await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: ROOT });
});

const python = findPythonWithHvac();
test.skipIf(python === undefined)('the recipe of docs/integrations.md for hvac runs', async () => {
  const { api } = await makeTenant(stack);
  const [block = ''] = blocksOf('hvac');
  expect(block).toContain('import base64, hvac');
  await run(python ?? '', ['-c', `token = '${api.token}'\n${block}`]);
});
