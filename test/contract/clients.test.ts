import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { ROOT } from '../sources.ts';
import { makeTenant } from '../support/tenant.ts';

const stack = inject('stack');

/**
 * Maps a language in docs/clients.md to the name of the program's file, the command that runs the file, and a command
 * that succeeds if the language's tools are installed.
 */
const RUNNERS: Readonly<Record<string, { readonly file: string; readonly run: string; readonly found: string }>> = {
  sh: { file: 'client.sh', run: 'bash -euo pipefail', found: 'curl --version' },
  python: { file: 'client.py', run: '/usr/bin/python3', found: '/usr/bin/python3 --version' },
  go: { file: 'client.go', run: 'go run', found: 'go version' },
  java: { file: 'Client.java', run: 'java', found: 'java --version' },
};

const page = readFileSync(join(ROOT, 'docs/clients.md'), 'utf8');
const programs = [...page.matchAll(/^```(\w+)\n((?:#|\/\/|:) clients: (\w+)\n.*?)^```$/gms)].map(
  ([, language = '', source = '', name = '']) => ({ language, source, name }),
);

test('docs/clients.md has one program each for curl, Python, Go and Java', () => {
  expect(programs.map(({ name }) => name)).toEqual(['curl', 'python', 'go', 'java']);
});

/** Returns whether the tools for the program's language are installed. */
const canRun = ({ language }: { readonly language: string }): boolean =>
  spawnSync(RUNNERS[language]?.found ?? 'false', { shell: true }).status === 0;

describe.each(programs)('the $name program in docs/clients.md', (program) => {
  test.skipIf(!canRun(program))(
    'the example program encrypts, decrypts, and recognizes a refused request by its error code',
    async () => {
      const { file, run } = RUNNERS[program.language] ?? { file: '', run: 'false' };
      const tenant = await makeTenant(stack);
      const folder = mkdtempSync(join(tmpdir(), 'clients-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      writeFileSync(join(folder, file), program.source);
      // A password for the service's host, which HTTP clients can find. The program must send the API key anyway.
      writeFileSync(join(folder, '.netrc'), 'machine 127.0.0.1 login a password b\n', { mode: 0o600 });
      const env = {
        ...process.env,
        HOME: folder,
        BASE: stack.baseUrl,
        API_KEY: tenant.api.token,
        KEY_ID: await tenant.createKey('free'),
        GOCACHE: join(folder, 'cache'),
      };
      const { stdout } = await promisify(execFile)('bash', ['-c', `${run} ${file}`], { cwd: folder, env });
      expect(stdout.trimEnd().split('\n')).toEqual(['Hello', 'invalid_ciphertext']);
    },
  );
});
