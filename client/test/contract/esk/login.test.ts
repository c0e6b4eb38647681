import { once } from 'node:events';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, test } from 'vitest';
import { signInFrom } from '../../../../test/support/code-flow.ts';
import { start } from '../../support/esk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const stack = inject('stack');
const folder = temporaryFolder();
const person = { subject: 'login', email: 'login@example.com' };

/** Starts a sign-in, and returns the address to open. */
async function begin(...more: string[]) {
  const running = start(['login', stack.baseUrl, ...more], { env: { XDG_CONFIG_HOME: folder.path } });
  const [line] = await once(createInterface(running.child.stdout), 'line');
  return { ...running, address: new URL(String(line)) };
}

test('esk login opens a browser if one is installed', async () => {
  const opened = join(folder.path, 'opened');
  await writeFile(
    join(folder.path, 'xdg-open'),
    `#!/bin/sh\nprintf '%s' "$1" >'${opened}.part' && mv '${opened}.part' '${opened}'\n`,
  );
  await chmod(join(folder.path, 'xdg-open'), 0o755);
  const env = { XDG_CONFIG_HOME: folder.path, PATH: `${folder.path}:${process.env.PATH}` };
  const { ended } = start(['login', stack.baseUrl], { env });
  while (!(await readdir(folder.path)).includes('opened')) await new Promise(setImmediate);
  await fetch(await signInFrom(new URL(await readFile(opened, 'utf8')), person));
  const { code, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('as login@example.com') });
});

test('the sign-in URL requests an authorization code with PKCE and a new state, and redirects to 127.0.0.1', async () => {
  const { address, child, ended } = await begin('--no-browser');
  const query = Object.fromEntries(address.searchParams);
  expect(query).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: 'console' });
  expect(query.redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(query.code_challenge).toMatch(/^[\w-]{43}$/);
  expect(query.state).toMatch(/^[\w-]{43}$/);
  child.kill();
  await ended;
});

test('esk login ignores a redirect with a wrong state, and ends if the identity provider refuses the sign-in', async () => {
  const { address, ended } = await begin('--no-browser');
  const { redirect_uri = '', state = '' } = Object.fromEntries(address.searchParams);
  const issuer = address.origin;
  const come = (parameters: Record<string, string>) => fetch(`${redirect_uri}?${new URLSearchParams(parameters)}`);
  expect((await come({ code: 'stolen', state: 'x'.repeat(43), iss: issuer })).status).toBe(400);
  expect((await fetch(redirect_uri.replace('/callback', '/'))).status).toBe(400);
  expect((await come({ error: 'access_denied', state, iss: issuer })).status).toBe(200);
  const { code, stderr } = await ended;
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr: expect.stringMatching(/\nesk: unauthorized: .+access_denied.+\n$/),
  });
  expect(await readdir(join(folder.path, 'esk'))).toEqual([]);
});
