import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { portsOf, workloadIssuerOf } from '../../../emulators/stack/ports.ts';
import { ROOT } from '../../../test/sources.ts';
import { list } from '../../../test/support/client.ts';
import { isInstalled } from '../../../test/support/programs.ts';
import { openSealing } from '../../../test/support/sealed-log.ts';
import { removeTemporaryFolders, temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { makeTenant } from '../../../test/support/tenant.ts';
import { EncryptionService } from '../../src/index.ts';
import { signIn } from '../support/esk.ts';

const stack = inject('stack');
const run = promisify(execFile);
afterAll(removeTemporaryFolders);

/** A line that does nothing in any shell, and shows part of the output of the line above it. */
const SHOWN = /^: '(.*)'$/;
const MARK = '#shown#';
/** Signing in needs a browser, the programs are not those of the checkout's npm, and not every machine has SOPS. */
const SKIPPED = isInstalled('sops') ? /esk login |^esk\(\)/ : /esk login |^esk\(\)|^sops /;

/** Returns the lines of a page's shell blocks, for the test's stack, without the sign-in, which needs a browser. */
function linesOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)]
    .flatMap(([, indent = '', block = '']) => block.trimEnd().replaceAll(`\n${indent}`, '\n').trimStart().split('\n'))
    .filter((line) => !SKIPPED.test(line))
    .map((line) =>
      line
        .replaceAll('http://127.0.0.1:8080', stack.baseUrl)
        .replaceAll('http://127.0.0.1:8089', stack.controlUrl)
        .replaceAll('npx esk ', 'esk ')
        // An example's time must stay in the future.
        .replaceAll('2027-', '2100-'),
    );
}

/**
 * Runs the page's lines in one shell, in a folder with `files`, and expects that each prints what the page shows, and no
 * other error.
 */
async function expectShown(page: string, subject: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  const lines = linesOf(page);
  const script = lines.map((line) => (SHOWN.test(line) ? `echo '${MARK}'` : line)).join('\n');
  const { cwd, env } = await signIn(stack.baseUrl, subject);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { stdout } = await run('bash', ['--norc', '-c', `exec 2>&1\n${script}`], { cwd, env });
  const shown = lines.flatMap((line) => SHOWN.exec(line)?.[1] ?? []);
  const printed = stdout.split(MARK);
  expect(shown.length).toBeGreaterThan(0);
  for (const [at, expected] of shown.entries()) expect(printed[at]).toContain(expected);
  const errors = stdout.match(/^esk: \w+:.*|command not found.*/gm) ?? [];
  const unexpected = errors.filter((error) => !shown.some((text) => error.includes(`esk: ${text}:`)));
  expect(unexpected).toEqual([]);
}

test.each(['files', 'rotate', 'least-privilege', 'leak', 'integrations'])(
  'the commands of docs/%s.md print what the guide shows',
  async (guide) => {
    const { subject } = await makeTenant(stack);
    await expectShown(`docs/${guide}.md`, subject);
  },
);

test('the commands of docs/workload-identity.md create and change an API key for a workload', async () => {
  const { subject, console } = await makeTenant(stack);
  const federations = [{ issuer: workloadIssuerOf(portsOf(stack)), claims: { sub: 'job' } }];
  await expectShown('docs/workload-identity.md', subject, { 'ci.json': JSON.stringify(federations) });
  const made = list(await console.send('GET', '/v1/api-keys')).find(({ name }) => name === 'ci');
  expect(made).toMatchObject({ has_token: false, federations, expires_at: null });
});

test('the guide for leaks freezes the keys of an API key before it revokes the API key', () => {
  const commands = linesOf('docs/leak.md').filter((line) => /^esk keys freeze |^esk api-keys revoke /.test(line));
  expect(commands).toEqual(['esk keys freeze orders', 'esk api-keys revoke app']);
});

test('the commands of docs/audit.md verify and export a sealed log', async () => {
  const tenant = await makeTenant(stack);
  await tenant.createKey('free');
  await openSealing(stack).seal(tenant.id);
  await expectShown('docs/audit.md', tenant.subject);
});

test('the tour prints what it shows, also the second time, and leaves no key behind', async () => {
  const overview = z.object({ demo: z.object({ api_key: z.string() }) });
  const { demo } = overview.parse(await (await fetch(stack.controlUrl)).json());
  for (const _ of [1, 2]) await expectShown('docs/tour.md', 'demo');
  const keys = await new EncryptionService({ url: stack.baseUrl, apiKey: demo.api_key }).listKeys();
  expect(keys.filter(({ name }) => name.startsWith('tour-'))).toEqual([]);
});

describe('the README of the client', () => {
  const readme = readFileSync(join(ROOT, 'client/README.md'), 'utf8');

  /** Returns the README's code blocks of a section, for programs of this checkout. */
  function codeOf(heading: string, language: string): string {
    const [, section = ''] = readme.split(new RegExp(`^##+ ${heading}$`, 'm'));
    const [own = ''] = section.split('\n##');
    const blocks = own.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'));
    const library = JSON.stringify(join(ROOT, 'client/src/index.ts'));
    const code = [...blocks].map(([, lines = '']) => lines.replace("'encryption-service-client'", library));
    expect(code).not.toEqual([]);
    return code.join('');
  }

  test('the first example of the library works when pasted', async () => {
    const { api, createKey } = await makeTenant(stack);
    const file = join(temporaryFolder('first-lines'), 'first-lines.mjs');
    writeFileSync(file, codeOf('The library', 'js'));
    const env = { ESK_URL: stack.baseUrl, ESK_API_KEY: api.token, KEY_ID: await createKey('wrapped') };
    const { stdout } = await run(process.execPath, [file], { env });
    expect(stdout).toMatch(/^\S+Z encrypt done\n\S+Z create_key done\n$/);
  });

  test('the program “Many small values” runs after the commands that set up `esk`', async () => {
    const { subject } = await makeTenant(stack);
    const { cwd, env } = await signIn(stack.baseUrl, subject);
    const setUp = codeOf('esk: the command line', 'sh');
    writeFileSync(join(cwd, 'column.mjs'), codeOf('Many small values', 'js'));
    const script = `${setUp.replace(/^esk login .*$/m, 'true').replaceAll('http://127.0.0.1:8080', stack.baseUrl)}
node --disable-warning=ExperimentalWarning column.mjs`;
    const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { cwd, env });
    expect(stdout).toMatch(/Ada flu\nGrace measles\n$/);
    expect(readFileSync(join(cwd, 'clinic.db'), 'latin1')).not.toContain('measles');
  });
});
