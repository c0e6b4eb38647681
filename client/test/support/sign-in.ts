import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { signInFrom } from '../../../test/support/code-flow.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { AGE_PLUGIN_ESK, COMPILE_CACHE, type Ended, ESK, type Run, start } from './esk.ts';

/** Signs a person in with `esk login --no-browser`, and opens the printed address as a browser would. */
export async function logIn(person: Record<string, string>, options: Run): Promise<Ended> {
  const { child, ended } = start(['login', '--no-browser'], options);
  const [address] = await once(createInterface(child.stdout), 'line');
  const back = await signInFrom(new URL(String(address)), person);
  const page = await fetch(back);
  return { ...(await ended), stdout: Buffer.from(await page.text()) };
}

const DUMP = "create table goods (name text);\ninsert into goods values ('tea');\n";

/** Signs a person in, in a new folder that also has the programs of this repository and stand-ins for PostgreSQL's. */
export async function signIn(baseUrl: string, subject: string) {
  const cwd = temporaryFolder('guide');
  const bin = join(cwd, '.bin');
  mkdirSync(bin);
  const programs = {
    esk: `exec '${process.execPath}' '${ESK}' "$@"`,
    'age-plugin-esk': `exec '${process.execPath}' '${AGE_PLUGIN_ESK}' "$@"`,
    pg_dump: `printf '%s' "$DUMP"`,
    psql: 'cat "$2"',
  };
  for (const [name, line] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, DUMP, HOME: cwd, XDG_CONFIG_HOME: join(cwd, '.config'), NODE_COMPILE_CACHE: COMPILE_CACHE };
  writeFileSync(join(cwd, 'settings.yaml'), 'password: secret\n');
  await logIn({ subject }, { env: { ...env, ESK_URL: baseUrl } });
  return { cwd, env };
}
