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
  const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const imports = blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []);
  const body = blocks
    .map((block) => block.replace(/^import .*$/gm, ''))
    .map((block) => (block.includes('let cursor') ? afterKill(block) : block))
    .join('\n');
  const { api } = await makeTenant(stack);
  const env = { ...process.env, BASE: stack.baseUrl, API_KEY: api.token, NODE_NO_WARNINGS: '1' };
  const program = fromSources(`${imports.join('\n')}\n${body}\n${RETIRE}`);
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env });
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
  const [, commands = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];
  const lines = commands
    .split('\n')
    .filter((line) => line.startsWith('export '))
    .map((line) =>
      line.replace('http://127.0.0.1:8080', stack.baseUrl).replace('http://127.0.0.1:8089', stack.controlUrl),
    );
  const script = [...lines, 'echo "$BASE $API_KEY"'].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script]);
  const { demo } = Object(await (await fetch(stack.controlUrl)).json());
  expect(stdout.trim()).toBe(`${stack.baseUrl} ${demo.api_key}`);
});
