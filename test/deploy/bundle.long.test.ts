import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../deploy/bundle.ts';
import { PRELOAD } from '../../deploy/names.ts';
import { ROOT } from '../sources.ts';
import { REPORT_PORT, reportedPort } from '../support/second-service.ts';

const FRAMEWORK = join(ROOT, 'node_modules/.bin/functions-framework');
const KEY = '/v1/keys/00000000-0000-4000-8000-000000000000';

let dist: string;
let folder: string;

beforeAll(async () => {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  dist = mkdtempSync(join(ROOT, 'dist/test-'));
  folder = join(dist, 'crypto');
  await bundle('crypto', join(ROOT, 'functions/entry/crypto.ts'), dist);
});
afterAll(() => rmSync(dist, { recursive: true }));

/** Returns the bundle’s answer to malformed JSON. With the framework’s own parser, the answer would be HTML. */
async function answerOfBundle(): Promise<{ status: number; body: unknown; exitCode: unknown }> {
  const args = [`--import=${REPORT_PORT}`, FRAMEWORK, `--source=${folder}`, '--target=crypto', '--port=0'];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    cwd: folder,
    env: {
      NODE_OPTIONS: `--require=./${PRELOAD}`,
      METADATA_SERVER_DETECTION: 'none',
      GOOGLE_CLOUD_PROJECT: 'demo',
      KMS_KEY_RING: 'projects/demo/locations/local/keyRings/demo',
      POLICY_DECISION_URL: 'http://127.0.0.1:1',
      FIRESTORE_EMULATOR_HOST: '127.0.0.1:1',
    },
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${await reportedPort(child)}${KEY}/encrypt`;
  const answer = await fetch(url, { method: 'POST', body: '{', headers: JSON_TYPE });
  const body: unknown = await answer.json();
  child.kill('SIGTERM');
  const [exitCode] = await exited;
  return { status: answer.status, body, exitCode };
}
const JSON_TYPE = { 'content-type': 'application/json' };

test('a bundle does not use the framework’s own body parser, with or without a code cache', async () => {
  const refused = { status: 401, body: expect.objectContaining({ error: 'unauthorized' }), exitCode: 0 };
  expect(existsSync(join(folder, 'code-cache'))).toBe(false);
  expect(await answerOfBundle()).toEqual(refused);
  execFileSync(process.execPath, ['warm.ts', 'crypto'], { cwd: folder, stdio: 'ignore' });
  expect(existsSync(join(folder, 'code-cache'))).toBe(true);
  expect(await answerOfBundle()).toEqual(refused);
});

test('a process with the platform’s heap limit accepts the code cache of a bundle', () => {
  const run = `
    const { Script } = require('node:vm'), { readFileSync } = require('node:fs');
    const source = readFileSync('bundle.cjs', 'latin1');
    const head = '(require,module,exports,__filename,__dirname)=>{';
    const script = new Script(head + source + '\\n}', { cachedData: readFileSync('code-cache') });
    console.log(script.cachedDataRejected);`;
  const args = ['--max-old-space-size=400', '--input-type=commonjs', '-e', run];
  expect(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })).toBe('false\n');
});

test('npm can install a bundle’s dependencies, because package.json and package-lock.json match', () => {
  const dryRun = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  expect(execFileSync('npm', dryRun, { cwd: folder, encoding: 'utf8' })).toMatch(/^added \d+ packages/m);
});
