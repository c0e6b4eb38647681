import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ROOT } from '../../../test/sources.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { COMPILE_CACHE } from '../support/esk.ts';
import { logIn } from '../support/sign-in.ts';

const DUMP = "create table goods (name text);\ninsert into goods values ('tea');\n";

/** Signs a person in, in a new folder that also has the programs of this repository and stand-ins for PostgreSQL's. */
export async function signIn(baseUrl: string, subject: string) {
  const cwd = temporaryFolder('guide');
  const bin = join(cwd, '.bin');
  mkdirSync(bin);
  const run = (name: string) => `exec '${process.execPath}' '${join(ROOT, 'client/bin', name)}' "$@"`;
  const programs = {
    esk: run('esk.js'),
    'age-plugin-esk': run('age-plugin-esk.js'),
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
