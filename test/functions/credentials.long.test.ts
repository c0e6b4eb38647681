import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { MINIMAL } from '../shared/environment.ts';
import { ROOT } from '../sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FRAMEWORK = join(ROOT, 'node_modules/@google-cloud/functions-framework/build/src/main.js');
const home = temporaryFolder('credentials');
writeFileSync(join(home, 'words'), 'SECRET words');
writeFileSync(join(home, 'empty.json'), '{"type":"service_account","private_key":"SECRET"}');

/** Starts a function without emulators. Returns its exit code and the lines that it prints. */
async function startWithoutEmulators(settings: Readonly<Record<string, string>>) {
  const args = [FRAMEWORK, '--source=functions/entry/reports.ts', '--target=reports', '--port=0'];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...MINIMAL, HOME: home, METADATA_SERVER_DETECTION: 'none', NODE_ENV: 'production', ...settings },
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { lines: out.split('\n').filter((line) => line !== ''), err, exitCode: child.exitCode };
}

const NONE = 'GOOGLE_APPLICATION_CREDENTIALS is not set, and no metadata server answered';
const BAD_FILE = 'the file named by GOOGLE_APPLICATION_CREDENTIALS is missing or has no credentials';

test.concurrent.for([
  ['no credentials', {}, NONE],
  ['a missing file', { GOOGLE_APPLICATION_CREDENTIALS: join(home, 'missing.json') }, BAD_FILE],
  ['a file that is not JSON', { GOOGLE_APPLICATION_CREDENTIALS: join(home, 'words') }, BAD_FILE],
  ['an incomplete file', { GOOGLE_APPLICATION_CREDENTIALS: join(home, 'empty.json') }, BAD_FILE],
] as const)(
  'a function without valid Google credentials exits with a one-line reason: %s',
  async ([, settings, why]) => {
    const { lines, err, exitCode } = await startWithoutEmulators(settings);
    expect(exitCode).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        severity: 'ERROR',
        message: 'process exited: no Google Cloud credentials',
        reason: why,
        error: expect.any(String),
      },
    ]);
    expect(err).toBe('');
    expect(lines.join()).not.toContain('SECRET');
  },
);
